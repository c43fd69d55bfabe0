// pack.js - decodes the data of cli/page/page_frames.c: consecutive arrays, each split into byte planes with
// the lowest bytes first, deflated, in base64.

function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text),
    bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export async function expand(text) {
  const stream = new Blob([fromBase64(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Reader(new Uint8Array(await new Response(stream).arrayBuffer()));
}

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  // Returns COUNT numbers of an array TYPE, merged from their byte planes.
  array(Type, count) {
    const size = Type.BYTES_PER_ELEMENT,
      result = new Type(count),
      to = new Uint8Array(result.buffer);
    for (let b = 0; b < size; b++) {
      const from = this.at + b * count;
      for (let i = 0, k = b; i < count; i++, k += size) to[k] = this.bytes[from + i];
    }
    this.at += count * size;
    return result;
  }

  doubles(count) {
    return this.array(Float64Array, count);
  }
  floats(count) {
    return this.array(Float32Array, count);
  }
  words(count) {
    return this.array(Uint32Array, count);
  }

  // Decodes CHANNELS series of COUNT integers, stored as differences from the linear extrapolation of the
  // previous two values.
  series(channels, count) {
    const result = new Int32Array(this.array(Uint32Array, channels * count).buffer);
    for (let c = 0; c < channels; c++) {
      let last = 0,
        slope = 0;
      for (let i = c * count; i < (c + 1) * count; i++) {
        const left = (result[i] >>> 1) ^ -(result[i] & 1),
          now = (last + slope + left) | 0;
        slope = i > c * count ? (now - last) | 0 : 0;
        result[i] = last = now;
      }
    }
    return result;
  }
}
