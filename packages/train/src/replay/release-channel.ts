import {
  AnswerMismatchError,
  placeOf,
  type ReleaseAnswers,
  type ReleasedValue,
  type ReleaseRequest,
  requestText,
} from '@hushrec/privacy';

/** Bytes that may wait for the second run while it is at work; beyond them the first waits for it. */
const mostBacklog = 2 ** 26;

/**
 * Hands releases from a run on data to one without, as they are made, so that no log is held in memory. The
 * second run must ask for the same things in the same form: whatever it asks for otherwise ends both.
 */
export class ReleaseChannel implements ReleaseAnswers {
  readonly #made = new Map<string, { readonly request: ReleaseRequest; readonly value: ReleasedValue }>();
  readonly #waiting = new Map<
    string,
    {
      readonly request: ReleaseRequest;
      readonly resolve: (value: ReleasedValue) => void;
      readonly reject: (error: Error) => void;
    }
  >();
  #room: (() => void) | undefined;
  #bytes = 0;
  #over = false;
  #failure: Error | undefined;

  /**
   * For the first run: what was released for a request. Waits while the second run is far behind and at work.
   */
  async put(request: ReleaseRequest, value: ReleasedValue): Promise<void> {
    if (this.#failure) throw this.#failure;
    const place = placeOf(request);
    const waiter = this.#waiting.get(place);
    if (waiter !== undefined) {
      this.#waiting.delete(place);
      this.#hand(waiter.request, request, value, waiter);
      return;
    }
    this.#made.set(place, { request, value });
    this.#bytes += bytesOf(value);
    // A second run that waits for something else will not make room; waiting for it would be for ever.
    if (this.#bytes > mostBacklog && this.#waiting.size === 0)
      await new Promise<void>((resolve) => {
        this.#room = resolve;
      });
  }

  answer(request: ReleaseRequest): Promise<ReleasedValue> {
    const place = placeOf(request);
    const made = this.#made.get(place);
    if (made !== undefined) {
      this.#made.delete(place);
      this.#bytes -= bytesOf(made.value);
      if (this.#bytes <= mostBacklog / 2) this.#makeRoom();
      return new Promise((resolve, reject) =>
        this.#hand(request, made.request, made.value, { resolve, reject }),
      );
    }
    if (this.#over)
      return Promise.reject(new AnswerMismatchError(request, 'the run on data never released this.'));
    return new Promise((resolve, reject) => {
      this.#waiting.set(place, { request, resolve, reject });
      this.#makeRoom();
    });
  }

  /** The first run is over: nothing more will be released. */
  end(): void {
    this.#over = true;
    for (const { request, reject } of this.#waiting.values())
      reject(new AnswerMismatchError(request, 'the run on data never released this.'));
    this.#waiting.clear();
  }

  /** The second run is over: the first need not wait for it. Says what it never asked for. */
  leave(failure?: Error): void {
    this.#failure = failure;
    this.#makeRoom();
  }

  /** A release that the second run never asked for. */
  get leftOver(): ReleaseRequest | undefined {
    return this.#made.values().next().value?.request;
  }

  #hand(
    asked: ReleaseRequest,
    made: ReleaseRequest,
    value: ReleasedValue,
    { resolve, reject }: { resolve: (value: ReleasedValue) => void; reject: (error: Error) => void },
  ): void {
    if (requestText(asked) === requestText(made)) resolve(value);
    else reject(new AnswerMismatchError(asked, `the run on data asked for ${requestText(made)}.`));
  }

  #makeRoom(): void {
    this.#room?.();
    this.#room = undefined;
  }
}

function bytesOf(value: ReleasedValue): number {
  return value.kind === 'choice' ? 8 : value.values.byteLength;
}
