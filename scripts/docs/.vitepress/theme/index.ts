import "@fontsource/jetbrains-mono/latin-400.css";
import { Content, type Theme, useData, withBase } from "vitepress";
import DefaultTheme, { VPHomeContent, VPHomeHero } from "vitepress/theme";
import { enhanceAppWithTabs } from "vitepress-plugin-tabs/client";
import { defineComponent, h, ref } from "vue";
import "./style.css";

/** Shows buttons next to the page title, which copy or show the page as Markdown. */
const PageActions = defineComponent(() => {
  const { page } = useData();
  const label = ref("Copy page");
  let labelTimer: ReturnType<typeof setTimeout> | undefined;
  const address = () => withBase(`/${page.value.relativePath}`);
  const copyPage = async () => {
    const markdown = fetch(address()).then(
      async (response) => new Blob([await response.text()], { type: "text/plain" }),
    );
    try {
      // Safari allows copying only during the click, so the clipboard item contains a promise.
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": markdown })]);
      label.value = "Copied";
    } catch {
      label.value = "Not copied";
    }
    // An earlier click must not end this one's message.
    clearTimeout(labelTimer);
    labelTimer = setTimeout(() => {
      label.value = "Copy page";
    }, 2_000);
  };
  return () =>
    // A landmark, because it is outside `main`.
    h("section", { class: "page-actions", "aria-label": "This page as Markdown" }, [
      h("button", { type: "button", onClick: copyPage }, h("span", { "aria-live": "polite" }, label.value)),
      // With a target, the VitePress router leaves the link to the browser. Without a target, it would append .html.
      h("a", { href: address(), target: "_self" }, "View as Markdown"),
    ]);
});

/** Replaces the front page of VitePress, which has no `main` element for screen readers to jump to. */
const FrontPage = defineComponent(() => () => h("main", [h(VPHomeHero), h(VPHomeContent, () => h(Content))]));

/** The page for an unknown URL, which is usually an old link. */
const NotFound = defineComponent(() => {
  const openSearch = () => document.querySelector<HTMLButtonElement>(".VPNavBarSearch button")?.click();
  const pages = {
    "Start page": "/",
    Guides: "/guides/first-offer",
    "HTTP reference": "/http-reference",
    "Error codes": "/errors",
  };
  return () =>
    h("main", { class: "not-found" }, [
      h("h1", "There is no page at this URL"),
      h("p", "It may have been renamed. Search for it, or start from one of these pages."),
      h("button", { type: "button", onClick: openSearch }, "Search the documentation"),
      h(
        "ul",
        Object.entries(pages).map(([text, path]) => h("li", h("a", { href: withBase(path) }, text))),
      ),
    ]);
});

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "doc-before": () => h(PageActions), "not-found": () => h(NotFound) }),
  enhanceApp({ app }) {
    enhanceAppWithTabs(app);
    app.component("front", FrontPage);
  },
} satisfies Theme;
