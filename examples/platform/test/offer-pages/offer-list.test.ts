import { beforeAll, describe, expect, test } from "vitest";
import { openPageClient } from "../pages/page-client.ts";
import { usePageClient, usePlatform } from "../support/use-opened.ts";

const key = "demo-key-harbour";
const dayMs = 24 * 60 * 60 * 1_000;

describe("the list of offers", () => {
  const platform = usePlatform({ now: () => now });
  const createdAt = new Date("2027-01-01T12:00:00Z");
  let now = createdAt;
  beforeAll(async () => {
    await createOffer("Waits late", { day: 20, applicant: "worker_amal" });
    await createOffer("Waits soon", { day: 10, applicant: "worker_ben" });
    await createOffer("Open 100%", { day: 12 });
    await completeOffer(await createOffer("Was completed", { day: 11, applicant: "worker_amal" }));
    const withdrawn = await createOffer("Was withdrawn", { day: 13, applicant: "worker_amal" });
    await platform.call("GET", `/offer/${withdrawn}/withdraw`, { key });
    await createOffer("Is past", { day: 1, applicant: "worker_amal" });
    now = new Date(createdAt.getTime() + 3 * dayMs);
  });
  // Sign in after the clock has moved, because sessions last less than three days.
  const hana = usePageClient(platform, "hana@harbour-hotels.example");

  /** Creates an offer. `day` is the number of days from `createdAt` to the work. If `applicant` is set, that worker applies. */
  async function createOffer(title: string, { day, applicant }: { day: number; applicant?: string }): Promise<string> {
    now = new Date(now.getTime() + 1_000);
    const start = new Date(createdAt.getTime() + day * dayMs).toISOString();
    const end = new Date(createdAt.getTime() + day * dayMs + 3_600_000).toISOString();
    const workerIds = ["worker_amal", "worker_ben"];
    const json = { createdByUserId: "user_hana", title, workerIds, events: [{ start, end }] };
    const { id } = (await platform.call("POST", "/offer", { key, json })).json<{ id: string }>();
    if (applicant !== undefined) {
      const token = await platform.signInWorker(applicant);
      expect((await platform.call("POST", `/worker-app/offers/${id}/apply`, { token })).status).toBe(204);
    }
    return id;
  }
  async function completeOffer(id: string): Promise<void> {
    const options = { key, json: ["worker_amal"] };
    expect((await platform.call("POST", `/offer/${id}/complete?api-version=1.0`, options)).status).toBeLessThan(300);
  }
  /** Returns the offer titles in one section of the page. */
  const extractTitles = (text: string, sectionId: "decisions" | "offers"): string[] => {
    const section = new RegExp(`<section class="panel" id="${sectionId}".*?</section>`, "s").exec(text)?.[0] ?? "";
    return [...section.matchAll(/<a href="\/offers\/offer_[^"]+">([^<]+)<\/a>/g)].map(([, title = ""]) => title);
  };

  test("the offer list starts with offers that need a decision, the earliest work first [D-116]", async () => {
    const { text } = await hana.get("/offers");
    expect(extractTitles(text, "decisions")).toEqual(["Waits soon", "Waits late"]);
    expect(extractTitles(text, "offers")).toHaveLength(6);
  });

  test.each(
    [
      ["state=decision", ["Waits soon", "Waits late"]],
      ["state=open", ["Open 100%", "Waits soon", "Waits late"]],
      ["state=past", ["Is past"]],
      ["state=complete", ["Was completed"]],
      ["state=withdrawn", ["Was withdrawn"]],
      ["time=past", ["Is past"]],
      ["time=upcoming", ["Waits soon", "Was completed", "Open 100%", "Was withdrawn", "Waits late"]],
      ["q=waits", ["Waits soon", "Waits late"]],
      ["q=100%25", ["Open 100%"]],
      ["q=%25%25", []],
      ["q=okafor&state=open", ["Open 100%", "Waits soon", "Waits late"]],
      ["q=nobody", []],
      [
        "state=nonsense&time=never",
        ["Is past", "Was withdrawn", "Was completed", "Open 100%", "Waits soon", "Waits late"],
      ],
    ].map(([query, expected]) => ({ query, expected })),
  )("the offer list is filtered by $query [D-116]", async ({ query, expected }) => {
    const { status, text } = await hana.get(`/offers?${query}`);
    expect(status).toBe(200);
    expect(extractTitles(text, "offers")).toEqual(expected);
  });

  test("the offer list does not show other organisations' offers", async () => {
    const bo = openPageClient(platform.address);
    await bo.signIn("bo@bistro-group.example");
    expect(extractTitles((await bo.get("/offers?q=waits")).text, "offers")).toEqual([]);
  });
});
