import { describe, expect, test } from "vitest";
import { usePageClient, usePlatform, useReceiver } from "../support/use-opened.ts";
import { saveCompany } from "./page-client.ts";

const platform = usePlatform();
const receiver = useReceiver();
const hana = usePageClient(platform, "hana@harbour-hotels.example");
const amal = usePageClient(platform, "worker_amal", "/app/sign-in");

/** Returns the opening tags and labels of a form's submit buttons, in the order of the document. */
const findSubmitButtons = (form: string): { tag: string; label: string }[] =>
  [...form.matchAll(/(<button(?![^>]*type="button")[^>]*>)([^<]*)/g)].map(([, tag = "", label = ""]) => ({
    tag,
    label,
  }));

/** Visits every page that the start page links to, directly or indirectly. @returns the forms with a search field */
async function findSearchForms(
  client: typeof hana,
  start: string,
  otherPages: readonly string[] = [],
): Promise<string[]> {
  const queue = [start, ...otherPages];
  const visited = new Set<string>();
  const forms: string[] = [];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const pattern = path.replace(/(\w+_)?[\da-f-]{36}/g, "ID").replace(/=[^&]*/g, "");
    if (visited.has(pattern)) continue;
    visited.add(pattern);
    const { text } = await client.get(path);
    forms.push(
      ...[...text.matchAll(/<form.*?<\/form>/gs)]
        .map(([form]) => form)
        .filter((form) => form.includes('type="search"')),
    );
    queue.push(
      ...[...text.matchAll(/<a [^>]*href="(\/[^"#]*)/g)].map(([, link = ""]) => link.replaceAll("&amp;", "&")),
    );
  }
  return forms;
}

describe("pressing Enter in a search field", () => {
  test("a form's default button searches if the form has a search field, even if the form is incomplete", async () => {
    await saveCompany(hana, receiver, { suggestsContacts: "on" });
    const offer = { title: "Kitchen help", worker: "worker_amal", act: "create" };
    const { location } = await hana.send("/offers/new", offer);
    await amal.send(`/app${location}/reject`);
    const forms = [
      ...(await findSearchForms(hana, "/offers", ["/invitations?organisation=harbour"])),
      ...(await findSearchForms(amal, "/app")),
    ];
    const actions = forms.map((form) => /action="([^"]+)"/.exec(form)?.[1]);
    expect(new Set(actions)).toEqual(
      new Set(["/offers", "/offers/new", "/deliveries", "/invitations", "/invitations/search"]),
    );
    for (const form of forms) {
      const [defaultButton] = findSubmitButtons(form);
      expect(defaultButton?.label, form).toMatch(/^(Search|Filter|Find)$/);
      if (form.includes(" required")) expect(defaultButton?.tag).toContain(" formnovalidate");
    }
  });

  test("only the button that creates the offer creates it", async () => {
    const { text } = await hana.get("/offers/new");
    const buttons = findSubmitButtons(text.slice(text.indexOf('action="/offers/new"')));
    for (const { tag, label } of [...buttons, { tag: "", label: "no button" }]) {
      const [, act] = /name="act" value="(\w+)"/.exec(tag) ?? [];
      const fields = { title: "By button", workerSearch: "amal", worker: "worker_amal", ...(act && { act }) };
      const { status } = await hana.send("/offers/new", fields);
      expect([label, status]).toEqual([label, label === "Create the offer" ? 303 : 200]);
    }
  });
});
