import "@fontsource/jetbrains-mono/latin-400.css";
import { type Theme, useData, withBase } from "vitepress";
import DefaultTheme from "vitepress/theme";
import { enhanceAppWithTabs } from "vitepress-plugin-tabs/client";
import { defineComponent, h } from "vue";
import "./style.css";

const MarkdownLink = defineComponent(() => {
  const { page } = useData();
  const address = () => withBase(`/${page.value.relativePath}`);
  return () => h("p", { class: "markdown-link" }, h("a", { href: address() }, "This page as Markdown"));
});

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "doc-footer-before": () => h(MarkdownLink) }),
  enhanceApp: ({ app }) => enhanceAppWithTabs(app),
} satisfies Theme;
