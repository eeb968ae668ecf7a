import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Caller } from "./caller.ts";
import { freePort } from "./free-port.ts";
import { Narrator } from "./narrator.ts";
import { type Party, startParty } from "./party.ts";
import { Phone } from "./phone.ts";
import type { Stage } from "./stage.ts";
import { Wire } from "./wire.ts";
import { openWiretap, type Wiretap } from "./wiretap.ts";

const examples = resolve(import.meta.dirname, "../..");

export interface TroupeOptions {
  /** How the platform answers where the live service is known to answer otherwise (D-51). */
  dialect: "reference" | "live";
  /** Whether the platform is killed with -9 and started again before every step. */
  killBetweenSteps: boolean;
}

/** The processes, the wiretaps between them and the phones: brought up, and taken down whatever happened. */
export class Troupe {
  readonly #wire = new Wire();
  readonly narrator = new Narrator(this.#wire);
  readonly secret = randomBytes(24).toString("base64url");
  readonly #parties = new Map<string, Party>();
  readonly #taps: Wiretap[] = [];
  readonly #phones: Phone[] = [];
  readonly #options: TroupeOptions;
  #platformEnv: Record<string, string> = {};
  #leaving = false;

  constructor(options: TroupeOptions) {
    this.#options = options;
  }

  /** Brings everybody up, step by step. */
  async enter(): Promise<Stage> {
    const { narrator, secret } = this;
    const { dialect, killBetweenSteps } = this.#options;
    const wire = this.#wire;
    narrator.chapter("Three processes on loopback");

    this.#platformEnv = {
      // The same port after a restart, so that everyone finds it again.
      PORT: String(await freePort(3000)),
      OFFERS_DATA: await mkdtemp(join(tmpdir(), "offers-journey-")),
      OFFERS_SEED: join(examples, "platform/seed/demo.json"),
      OFFERS_ALLOW_LOOPBACK: "1",
      OFFERS_SHOW_ALL_MAIL: "1",
      OFFERS_RETRY_SCHEDULE: "1s,1s,2s,5s,10s",
      // It looks twenty times a second, as no person does.
      OFFERS_PERSON_RATE_LIMIT: "off",
      OFFERS_DIALECT: dialect,
    };
    const platform = await narrator.step("the platform starts", () => this.startPlatform());
    const toPlatform = await this.#tap("hirer", "platform", platform.address);
    const integrator = await narrator.step("an integrator starts", async () =>
      this.#start("integrator", { PORT: String(await freePort(3001)), WEBHOOK_SECRET: secret }),
    );
    const webhooks = await this.#tap("platform", "integrator", integrator.address);
    const hirer = await narrator.step("a hirer starts", async () =>
      this.#start("hirer", {
        PORT: String(await freePort(3002)),
        OFFERS_BASE_URL: toPlatform.address,
        OFFERS_API_KEY: "demo-key-harbour",
        OFFERS_USER_ID: "user_hana",
      }),
    );

    const [amal, ben, cleo] = ["worker_amal", "worker_ben", "worker_cleo"].map(
      (worker) => new Phone(wire, worker, platform.address),
    );
    assert.ok(amal && ben && cleo);
    await narrator.step("Amal, Ben and Cleo sign in on their phones", async () => {
      for (const phone of [amal, ben, cleo]) {
        this.#phones.push(phone);
        assert.equal(await phone.signIn("demo-password"), 201);
        await phone.listen();
      }
    });

    const killPlatform = async () => {
      await this.#parties.get("platform")?.stop("SIGKILL");
      this.#parties.delete("platform");
    };
    const startPlatform = async () => {
      if (!this.#parties.has("platform")) await this.startPlatform();
    };
    if (killBetweenSteps)
      narrator.beforeStep = async () => {
        await killPlatform();
        await startPlatform();
      };
    return {
      narrator,
      hirer: new Caller(wire, "shop floor", "hirer", hirer.address),
      integrator: new Caller(wire, "back office", "integrator", integrator.address),
      hana: new Caller(wire, "Hana", "platform", platform.address),
      bo: new Caller(wire, "Bo", "platform", platform.address),
      stranger: new Caller(wire, "stranger", "platform", platform.address),
      amal,
      ben,
      cleo,
      webhooks,
      profile: { baseAddress: `${webhooks.address}/offers/`, secret },
      statuses: dialect === "live" ? { conflict: 400, notFound: 204 } : { conflict: 409, notFound: 404 },
      killPlatform,
      startPlatform,
    };
  }

  /** Also after it was killed: its data and its port stay the same. */
  startPlatform(): Promise<Party> {
    return this.#start("platform", this.#platformEnv);
  }

  get parties(): readonly Party[] {
    return [...this.#parties.values()];
  }

  get isLeaving(): boolean {
    return this.#leaving;
  }

  /** What each process printed last, for when something went wrong. */
  lastLines(): string {
    return this.parties.map(({ name, lastLines }) => `── ${name}\n${lastLines.join("\n")}`).join("\n");
  }

  async leave(): Promise<void> {
    this.#leaving = true;
    for (const phone of this.#phones) phone.hangUp();
    await Promise.all(this.parties.map((party) => party.stop()));
    await Promise.all(this.#taps.map((tap) => tap.close()));
    const { OFFERS_DATA: folder } = this.#platformEnv;
    if (folder) await rm(folder, { recursive: true });
  }

  async #start(name: string, env: Record<string, string>): Promise<Party> {
    const party = await startParty(name, join(examples, name, "src/main.ts"), env);
    this.#parties.set(name, party);
    return party;
  }

  async #tap(from: string, to: string, target: string): Promise<Wiretap> {
    const tap = await openWiretap(this.#wire, from, to, target);
    this.#taps.push(tap);
    return tap;
  }
}
