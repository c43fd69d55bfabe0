// browser.mjs - what tests of pages share: a browser without a window, what a page complains of, and a line for each
// thing that is held.
const software = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  none = ["--disable-gpu", "--disable-3d-apis", "--disable-software-rasterizer"];

// The browser EXECUTABLEPATH, driven by the module PLAYWRIGHT; its graphics are made by software, or, blind, there are
// none.
export async function launch(playwright, executablePath, blind = false) {
  const { chromium } = await import(playwright);
  return chromium.launch({ executablePath, args: ["--no-sandbox", ...(blind ? none : software)] });
}

export const say = (name, good, detail) =>
  console.log(`${good ? "ok     " : "FAILED "} ${name}${detail === undefined ? "" : ` (${detail})`}`);

// A new page of CONTEXT; what it complains of is in complaints.
export async function newPage(context) {
  const page = await context.newPage(),
    complaints = [];
  page.on(
    "console",
    (message) =>
      ["error", "warning"].includes(message.type()) &&
      !/GPU stall|GL Driver/.test(message.text()) &&
      complaints.push(message.text()),
  );
  page.on("pageerror", (error) => complaints.push(error.message));
  return { page, complaints };
}
