/**
 * What goes wrong with a request. `hang`: no answer, and the connection stays open. `lost`: the work is done, and the
 * answer is lost. `cut`: the connection is cut before the work. `late`: the answer comes after `lateMs`. `limited`: too
 * many requests. `unavailable`: the provider does not process requests.
 */
export const faultKinds = ['hang', 'lost', 'cut', 'late', 'limited', 'unavailable'] as const;

export interface Fault {
  kind: (typeof faultKinds)[number];
  /** The first word of the paths that it concerns, such as `charges`. Absent: all. */
  on?: string | undefined;
  /** How many requests it concerns. */
  times: number;
  lateMs: number;
}

/** The faults that are planned for one account. A restart ends them. */
export class Faults {
  /** The provider lets the account take no payments and make no refunds until this ends. */
  isRestricted = false;
  private planned: Fault[] = [];

  plan(fault: Fault): void {
    this.planned.push({ ...fault });
  }

  end(): void {
    this.planned = [];
  }

  /** The fault of the next request. */
  take(word: string): Fault | undefined {
    const fault = this.planned.find(({ on }) => on === undefined || on === word);
    if (!fault) return undefined;
    fault.times -= 1;
    this.planned = this.planned.filter(({ times }) => times > 0);
    return fault;
  }
}
