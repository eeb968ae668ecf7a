import { standardWebhooks } from "@offers/webhook-kit";
import { webhookHandler } from "@offers/webhook-kit/fetch";
import { postgresInbox } from "@offers/webhook-kit/postgres";
import pg from "pg";
import type {
  EndpointClient,
  EndpointRequest,
  EndpointResult,
} from "../../examples/platform/src/endpoint-client/endpoint-client.ts";
import type { ContractChecker } from "./contract-checker.ts";
import { currentProcess, Process, type Schedule, wallClock } from "./schedule.ts";

export const secret = `whsec_${Buffer.from("a secret for simulations, 32 b..").toString("base64")}`;

/** The probability of each fault per request. */
export interface NetworkFaults {
  refused: number;
  lostRequests: number;
  lostResponses: number;
  /** A proxy sends the request a second time. */
  doubled: number;
  slow: number;
  /** The response is 503. */
  unavailable: number;
  /** The response is 410, which disables the endpoint. */
  gone: number;
}

export const noNetworkFaults: NetworkFaults = {
  refused: 0,
  lostRequests: 0,
  lostResponses: 0,
  doubled: 0,
  slow: 0,
  unavailable: 0,
  gone: 0,
};

/** An integrator's receiver, built with the kit. Its inbox shares a database with the rows that the handler writes. */
export class Receiver {
  process: Process;
  readonly #schedule: Schedule;
  readonly #checker: ContractChecker;
  #respond: (request: Request) => Promise<Response>;

  constructor(schedule: Schedule, checker: ContractChecker) {
    this.#schedule = schedule;
    this.#checker = checker;
    this.process = new Process("receiver");
    this.#respond = this.#createHandler();
  }

  /** Starts a new process after a kill. */
  restart(): void {
    this.process = new Process("receiver");
    this.#respond = this.#createHandler();
  }

  /** Creates the kit's handler as part of the receiver process. */
  #createHandler(): (request: Request) => Promise<Response> {
    const { process } = this;
    return this.#schedule.run(process, () => {
      const pool = new pg.Pool();
      const inbox = postgresInbox(pool);
      return webhookHandler({
        secret,
        scheme: standardWebhooks(),
        now: () => wallClock(this.#schedule, process),
        // By default, the kit prints errors.
        onError: () => undefined,
        onRejected: () => undefined,
        onWorkerOfferResponse: async (event, context) => {
          const id = context.unverifiedDeliveryId ?? "";
          await inbox.once(context, (tx) =>
            tx.query("insert into handled (delivery_id, response) values ($1, $2)", [id, event.response]),
          );
          this.#checker.recordHandled(id);
        },
      });
    });
  }

  /** Handles a request in the receiver process. Never resolves if that process is killed meanwhile. */
  handle(request: Request): Promise<Response> {
    return this.#respond(request);
  }
}

/** The network between the platform's processes and the receiver, in place of sockets. */
export class Network {
  faults = noNetworkFaults;
  readonly #schedule: Schedule;
  readonly #checker: ContractChecker;
  readonly #receiver: Receiver;

  constructor(schedule: Schedule, checker: ContractChecker, receiver: Receiver) {
    this.#schedule = schedule;
    this.#checker = checker;
    this.#receiver = receiver;
  }

  /** Creates the HTTP client for a process. */
  createEndpointClient(): EndpointClient {
    return { send: (request) => this.#send(request), close: async () => undefined };
  }

  /** Sends a request, which may be refused, lost, duplicated or slow. Its response may be lost too. */
  #send(request: EndpointRequest): Promise<EndpointResult> {
    const schedule = this.#schedule;
    const process = currentProcess();
    const startedMs = schedule.nowMs;
    const content = Buffer.from(request.body === undefined ? "" : JSON.stringify(request.body));
    const headers = { ...request.headers, ...request.sign?.(content), "content-type": "application/json" };
    return new Promise((resolve) => {
      let recordOutcome: ((isAcknowledged: boolean) => void) | undefined;
      let isFinished = false;
      const finish = (result: Omit<EndpointResult, "durationMs">): void => {
        if (isFinished) return;
        isFinished = true;
        deadline.cancel();
        recordOutcome?.(result.ok && "status" in result && result.status === 200);
        resolve({ ...result, durationMs: schedule.nowMs - startedMs } as EndpointResult);
      };
      const fail = (code: "timeout" | "aborted" | "connection_lost" | "connection_refused"): void =>
        finish({ ok: false, code, reason: code } as Omit<EndpointResult, "durationMs">);
      const deadline = schedule.after(process, request.timeoutMs, "deadline", () => fail("timeout"));
      request.signal?.addEventListener("abort", () => fail("aborted"));
      const { faults } = this;
      if (schedule.chance(faults.refused)) {
        schedule.after(process, schedule.latencyMs(), "refused", () => fail("connection_refused"));
        return;
      }
      schedule.after(process, schedule.latencyMs(), "connected", () => {
        if (isFinished) return;
        if (request.mayStart?.() === false) return fail("aborted");
        const deliveryId = request.headers?.["offers-delivery-id"] ?? "";
        const organisationId = new URL(request.baseAddress).pathname.slice(1);
        recordOutcome = this.#checker.recordRequest({ deliveryId, organisationId, process });
        if (schedule.chance(faults.lostRequests)) return;
        const deliver = (): void =>
          this.#deliver(
            new Request(`http://receiver${request.path}`, { method: request.method, headers, body: content }),
            (status) => {
              if (schedule.chance(faults.lostResponses)) {
                // Half of these requests fail with a reset connection, and the others time out.
                if (schedule.chance(0.5))
                  schedule.after(process, schedule.latencyMs(), "reset", () => fail("connection_lost"));
                return;
              }
              schedule.after(process, schedule.latencyMs(), "response", () =>
                finish({ ok: true, status, body: Buffer.alloc(0), truncated: false } as Omit<
                  EndpointResult,
                  "durationMs"
                >),
              );
            },
          );
        deliver();
        if (schedule.chance(faults.doubled)) deliver();
      });
    });
  }

  /** Delivers a request to the receiver after a delay, or responds with an error in the receiver's place. */
  #deliver(request: Request, respond: (status: number) => void): void {
    const schedule = this.#schedule;
    const { faults } = this;
    const delayMs = schedule.latencyMs() + (schedule.chance(faults.slow) ? schedule.between(1_000, 20_000) : 0);
    let errorStatus: number | undefined;
    if (schedule.chance(faults.unavailable)) errorStatus = 503;
    else if (schedule.chance(faults.gone)) errorStatus = 410;
    // The listening process is chosen when the request arrives.
    schedule.after(undefined, delayMs, "request", () => {
      const { process } = this.#receiver;
      schedule.after(process, 0, "handle", async () => {
        if (errorStatus !== undefined) return respond(errorStatus);
        void this.#receiver.handle(request).then((response) => respond(response.status));
      });
    });
  }
}
