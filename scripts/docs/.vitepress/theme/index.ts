import "@fontsource/jetbrains-mono/latin-400.css";
import { Content, type Theme, useData, withBase } from "vitepress";
import DefaultTheme, { VPHomeContent, VPHomeFeatures, VPHomeHero } from "vitepress/theme";
import { enhanceAppWithTabs } from "vitepress-plugin-tabs/client";
import { defineComponent, h } from "vue";
import "./style.css";

const MarkdownLink = defineComponent(() => {
  const { page } = useData();
  const address = () => withBase(`/${page.value.relativePath}`);
  // With a target, VitePress's router leaves the link to the browser. It would append .html.
  const link = () => h("a", { href: address(), target: "_self" }, "This page as Markdown");
  return () => h("p", { class: "markdown-link" }, link());
});

/** The first page: VitePress's own has no `main`, which a screen reader jumps to. */
const FrontPage = defineComponent(
  () => () => h("main", [h(VPHomeHero), h(VPHomeFeatures), h(VPHomeContent, () => h(Content))]),
);

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "doc-footer-before": () => h(MarkdownLink) }),
  enhanceApp({ app }) {
    enhanceAppWithTabs(app);
    app.component("front", FrontPage);
  },
} satisfies Theme;
