// playback.js - the displayed time and its progress.

export class Playback {
  constructor(duration) {
    Object.assign(this, { duration, time: 0, speed: 1, playing: false, listeners: [] });
  }

  listen(listener) {
    this.listeners.push(listener);
  }
  notify() {
    for (const listener of this.listeners) listener(this);
  }

  seek(time) {
    this.time = Math.min(this.duration, Math.max(0, time));
    this.notify();
  }

  setSpeed(speed) {
    this.speed = speed;
    this.notify();
  }

  toggle() {
    if (this.playing) return this.pause();
    if (this.time >= this.duration) this.time = 0;
    this.playing = true;
    this.last = null;
    requestAnimationFrame((now) => this.go(now));
    this.notify();
  }

  pause() {
    this.playing = false;
    this.notify();
  }

  go(now) {
    if (!this.playing) return;
    const passed = this.last === null ? 0 : Math.min(0.25, (now - this.last) / 1000);
    this.last = now;
    this.time = Math.min(this.duration, this.time + passed * this.speed);
    if (this.time >= this.duration) this.playing = false;
    this.notify();
    if (this.playing) requestAnimationFrame((next) => this.go(next));
  }
}
