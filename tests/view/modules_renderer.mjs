// modules_renderer.mjs - a substitute for the renderer of three that draws nothing.
export class Renderer {
  setViewport(...rectangle) {
    this.rectangle = rectangle;
  }
  render() {}
  clear() {}
  setSize() {}
  setPixelRatio() {}
  setClearColor() {}
  setScissorTest() {}
  setScissor() {}
}
