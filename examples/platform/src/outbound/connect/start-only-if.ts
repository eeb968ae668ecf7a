import { DecoratorHandler, type Dispatcher } from "undici";
import { OutboundError } from "../outbound-error.ts";

/**
 * Asks just before a request is written to its connection. The wait for one may be long: a process that stood still meanwhile
 * would send what another has sent since, and perhaps what comes after it.
 */
export const startOnlyIf =
  (mayStart: () => boolean): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) =>
    dispatch(options, new Start(handler, mayStart));

class Start extends DecoratorHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #mayStart: () => boolean;

  constructor(handler: Dispatcher.DispatchHandler, mayStart: () => boolean) {
    super(handler);
    this.#handler = handler;
    this.#mayStart = mayStart;
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#handler.onRequestStart?.(controller, context);
    if (!this.#mayStart()) controller.abort(new OutboundError("aborted", "the lease has ended"));
  }
}
