// link.js - the connection to the server: sends commands as text, receives messages and pictures, reconnects
// after a loss.

const first = 500,
  longest = 5000; // ms between two attempts

export class Link {
  // HEARD: callbacks { state(name, words), message(object), picture(buffer) }.
  constructor(heard) {
    Object.assign(this, { heard, wait: first, count: 0, met: false });
    this.connect();
  }

  connect() {
    const url = new URL("socket", location.href);
    url.protocol = url.protocol.replace("http", "ws");
    this.heard.state("connecting", this.met ? "Reconnecting …" : "Connecting …");
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
      `${what}${why}. The page keeps trying. If holonom view has ended, start it again ` +
        "and open the address that it prints.",
    );
    setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(longest, 2 * this.wait);
  }

  get open() {
    return this.socket.readyState === WebSocket.OPEN;
  }

  // Send COMMAND, { do: …, … }. Returns false if there is no connection.
  send(command) {
    if (!this.open) return false;
    this.socket.send(JSON.stringify({ ...command, id_of: ++this.count }));
    return true;
  }
}
