// link.js - the line to the command: commands go out as text, messages and pictures come in. A line that is lost is
// tried again and again.

const first = 500,
  longest = 5000; // ms between two tries

export class Link {
  // HEARD: { state(name, words), message(object), picture(buffer) }.
  constructor(heard) {
    Object.assign(this, { heard, wait: first, count: 0, met: false });
    this.connect();
  }

  connect() {
    const url = new URL("socket", location.href);
    url.protocol = url.protocol.replace("http", "ws");
    this.heard.state("connecting", this.met ? "Trying again …" : "Connecting …");
    this.socket = new WebSocket(url, "holonom");
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => {
      Object.assign(this, { wait: first, met: true });
      this.heard.state("connected", "Connected");
    };
    this.socket.onmessage = ({ data }) =>
      typeof data === "string" ? this.heard.message(JSON.parse(data)) : this.heard.picture(data);
    this.socket.onclose = (event) => this.lost(event);
  }

  lost({ reason }) {
    const why = reason ? `: ${reason}` : "";
    const what = this.met ? "The connection is lost" : "holonom view does not answer at this address";
    this.heard.state(
      "lost",
      `${what}${why}. It is tried again. If holonom view has ended, start it again, and open the address it prints then.`,
    );
    setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(longest, 2 * this.wait);
  }

  get open() {
    return this.socket.readyState === WebSocket.OPEN;
  }

  // Sends COMMAND, { do: …, … }; false when there is nobody to hear it.
  send(command) {
    if (!this.open) return false;
    this.socket.send(JSON.stringify({ ...command, id_of: ++this.count }));
    return true;
  }
}
