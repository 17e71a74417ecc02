/**
 * The smallest part of a list with which something still fails, by delta debugging (Zeller): it leaves out halves, then
 * quarters, and so on. No single element of the result can be left out. The order stays. `fails` is not asked about the
 * whole list. It may answer false to end the search early.
 */
export async function smallestFailing<T>(
  all: readonly T[],
  fails: (some: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  if (all.length === 0 || (await fails([]))) return [];
  let left = all;
  for (let parts = 2; left.length > 1;) {
    const smaller = await firstFailing(left, parts, fails);
    if (smaller) {
      left = smaller;
      parts = Math.max(2, Math.min(parts - 1, left.length));
    } else if (parts >= left.length) break;
    else parts = Math.min(parts * 2, left.length);
  }
  return left;
}

/** The list without one of its parts. */
async function firstFailing<T>(
  list: readonly T[],
  parts: number,
  fails: (some: readonly T[]) => Promise<boolean>,
): Promise<readonly T[] | undefined> {
  const edgeOf = (part: number) => Math.floor((list.length * part) / parts);
  for (let part = 0; part < parts; part += 1) {
    const rest = [...list.slice(0, edgeOf(part)), ...list.slice(edgeOf(part + 1))];
    if (await fails(rest)) return rest;
  }
  return undefined;
}

/** The operations and faults of a plan that a run keeps, by number. */
export interface PlanPart {
  operations: readonly number[];
  faults: readonly number[];
}

interface ShrinkOptions {
  /** The rules that a run with only these breaks. */
  run: (kept: PlanPart) => Promise<readonly string[]>;
  runsMax: number;
  tell: (line: string) => void;
}

/**
 * Leaves out faults and then operations, while a rule is broken that the whole plan breaks as well. Undefined: the whole
 * plan breaks no rule.
 */
export async function shrinkPlan(all: PlanPart, { run, runsMax, tell }: ShrinkOptions): Promise<PlanPart | undefined> {
  const broken = new Set(await run(all));
  if (broken.size === 0) return undefined;
  let runs = 1;
  const isBroken = async (kept: PlanPart) => {
    if (runs >= runsMax) return false;
    runs += 1;
    const isSame = (await run(kept)).some((rule) => broken.has(rule));
    const { operations, faults } = kept;
    tell(`Run ${runs}: ${operations.length} operations, ${faults.length} faults: ${isSame ? 'fails' : 'passes'}`);
    return isSame;
  };
  const faults = await smallestFailing(all.faults, (some) => isBroken({ ...all, faults: some }));
  const operations = await smallestFailing(all.operations, (some) =>
    some.length === 0 ? Promise.resolve(false) : isBroken({ operations: some, faults }),
  );
  return { operations, faults };
}

/** `1-3,7` for 1, 2, 3 and 7. `none` for nothing. */
export function rangesOf(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',') || 'none';
}

/** The numbers that a text like `1-3,7` names. */
export function numbersIn(option: string, text: string): number[] {
  if (text === 'none') return [];
  return text.split(',').flatMap((range) => {
    const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(range) ?? [];
    if (from === undefined) throw new Error(`--${option} must be numbers such as 1-3,7, and is ${text}.`);
    return Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => Number(from) + index);
  });
}
