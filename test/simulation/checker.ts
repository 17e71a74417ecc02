import { type Books } from './books';
import { type Recorded } from './history';
import { checkAccess } from './rules/access';
import { checkAcknowledged } from './rules/acknowledged';
import { checkEvents } from './rules/events';
import { checkLimits } from './rules/limits';
import { checkMoney } from './rules/money';
import { checkOneEffect } from './rules/oneEffect';
import { checkSettled } from './rules/settled';
import { type Rule, type Violation } from './rules/violation';

const rules: Record<string, Rule> = {
  'one effect per key': checkOneEffect,
  'accepted requests': checkAcknowledged,
  money: checkMoney,
  access: checkAccess,
  events: checkEvents,
  limits: checkLimits,
  settled: checkSettled,
};

/** Compares what each client was told with all books. Each difference breaks a promise of docs/reliability.md. */
export function findViolations(history: readonly Recorded[], books: Books): Violation[] {
  return Object.entries(rules).flatMap(([rule, check]) => check(history, books).map((found) => ({ rule, ...found })));
}
