// Runs on each page, before it is shown: the colour scheme, the menu, the copy buttons, and the search when it is opened.
const root = document.documentElement;
const themes = ["system", "light", "dark"] as const;

/** A page that was opened as a file may have no storage. */
function storage(use: (store: Storage) => unknown): unknown {
  try {
    return use(localStorage);
  } catch {
    return undefined;
  }
}

function setTheme(theme: string): void {
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
}

let theme = String(storage((store) => store.getItem("theme")) ?? "system");
setTheme(theme);
root.classList.add("js");

/** Loads a script of the site, once. */
const loaded = new Map<string, Promise<void>>();
function load(name: string): Promise<void> {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const loading = new Promise<void>((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${root.dataset.root}${name}`;
    script.onload = () => resolve();
    script.onerror = () => reject(new Error(`${name} cannot be loaded`));
    document.head.append(script);
  });
  loaded.set(name, loading);
  return loading;
}

function find<Type extends Element>(selector: string): Type {
  const found = document.querySelector<Type>(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
}

async function openSearch(): Promise<void> {
  const dialog = find<HTMLDialogElement>("dialog");
  if (dialog.open) return;
  dialog.showModal();
  const status = find<HTMLElement>(".status");
  status.textContent = "Loading the index …";
  try {
    // In this order: the second reads the first.
    await load("search-index.js");
    await load("search.js");
    status.textContent = "";
    dispatchEvent(new Event("offers-search-opened"));
  } catch (error) {
    status.textContent = `The search does not work: ${(error as Error).message}`;
  }
}

document.addEventListener("DOMContentLoaded", () => {
  const themeButton = find<HTMLButtonElement>("button.theme");
  themeButton.textContent = `Theme: ${theme}`;
  themeButton.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme as "system") + 1) % themes.length] ?? "system";
    setTheme(theme);
    storage((store) => store.setItem("theme", theme));
    themeButton.textContent = `Theme: ${theme}`;
  });

  const menuButton = find<HTMLButtonElement>("button.menu");
  menuButton.addEventListener("click", () => {
    const isOpen = root.classList.toggle("menu-open");
    menuButton.setAttribute("aria-expanded", String(isOpen));
  });

  find("button.search").addEventListener("click", () => void openSearch());
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    const isShortcut = (event.key === "/" && !isTyping) || (event.key === "k" && (event.ctrlKey || event.metaKey));
    if (!isShortcut) return;
    event.preventDefault();
    void openSearch();
  });

  for (const block of document.querySelectorAll("article pre")) {
    const copy = document.createElement("button");
    copy.type = "button";
    copy.className = "copy";
    copy.textContent = "Copy";
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(block.textContent ?? "");
      copy.textContent = "Copied";
      setTimeout(() => {
        copy.textContent = "Copy";
      }, 1_500);
    });
    const frame = document.createElement("div");
    frame.className = "code";
    block.replaceWith(frame);
    frame.append(block, copy);
  }
});
