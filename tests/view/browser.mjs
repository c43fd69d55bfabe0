// browser.mjs - shared by tests of pages: a headless browser, the errors of a page, and a line for each
// verdict.
const software = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  none = ["--disable-gpu", "--disable-3d-apis", "--disable-software-rasterizer"];

// Launches the browser executablePath with the module playwright; graphics are rendered by software, or
// absent if blind.
export async function launch(playwright, executablePath, blind = false) {
  const { chromium } = await import(playwright);
  return chromium.launch({ executablePath, args: ["--no-sandbox", ...(blind ? none : software)] });
}

export const verdict = (name, good, detail) =>
  console.log(`${good ? "ok     " : "FAILED "} ${name}${detail === undefined ? "" : ` (${detail})`}`);

// Opens a page of context; its errors and warnings are collected in complaints.
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
