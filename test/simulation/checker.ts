import { type Books } from './books';
import { type Recorded } from './history';
import { checkAccess } from './rules/access';
import { checkAccounts } from './rules/accounts';
import { checkAnswers } from './rules/answers';
import { checkAcknowledged } from './rules/acknowledged';
import { checkDocuments } from './rules/documents';
import { checkEvents } from './rules/events';
import { checkLimits } from './rules/limits';
import { checkLinearizable } from './rules/linearizable';
import { checkMails } from './rules/mails';
import { checkMoney } from './rules/money';
import { checkOneEffect } from './rules/oneEffect';
import { checkRevenue } from './rules/revenue';
import { checkSettled } from './rules/settled';
import { type Rule, type Violation } from './rules/violation';
import { checkSubscriptionOrder } from './rules/subscriptionOrder';
import { checkStorePurchases } from './rules/storePurchases';
import { checkWebhooks } from './rules/webhooks';

const rules: Record<string, Rule> = {
  'one effect per key': checkOneEffect,
  'accepted requests': checkAcknowledged,
  money: checkMoney,
  documents: checkDocuments,
  revenue: checkRevenue,
  access: checkAccess,
  events: checkEvents,
  webhooks: checkWebhooks,
  mails: checkMails,
  limits: checkLimits,
  'one order': (history, books) => [...checkLinearizable(history, books), ...checkSubscriptionOrder(history, books)],
  answers: checkAnswers,
  accounts: checkAccounts,
  'store purchases': checkStorePurchases,
  settled: checkSettled,
};

/** Compares what each client was told with all books. Each difference breaks a promise of docs/reliability.md. */
export function findViolations(history: readonly Recorded[], books: Books): Violation[] {
  return Object.entries(rules).flatMap(([rule, check]) => check(history, books).map((found) => ({ rule, ...found })));
}
