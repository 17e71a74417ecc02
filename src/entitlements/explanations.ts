import { type z } from 'zod';
import { environmentName } from '../adapters/settings';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { checkRestrictions, needsPin, type Outcome, type RestrictionKind } from '../restrictions/restrictions';
import { getCheckedItem, type ItemWithContent } from './checkedItems';
import { isFreeTo } from './entitlements';
import {
  type ExplainedAccount,
  type ExplainedRow,
  findExplainedAccount,
  listExplainedRows,
} from './explanations.model';
import { presentExplanation } from './explanations.presenter';
import { type ExplainQuery, type Step } from './explanations.schemas';

type Query = z.output<typeof ExplainQuery>;

/** Runs the steps of the access check for a customer from stored data, without changing anything. */
export async function explainAccess(caller: Caller, itemId: number, query: Query) {
  if (!caller.scopes.includes('accounts:read')) throw new AppError('forbidden');
  const { account_id: accountId } = query;
  const { merchantId } = caller;
  const { item } = await getCheckedItem(merchantId, itemId);
  const account = await findExplainedAccount(merchantId, accountId);
  if (!account) throw new AppError('account_does_not_exist');
  const rows = await listExplainedRows(accountId, itemId, account.present, environmentName);
  const steps = [
    explainSession(account),
    explainItem(item),
    ...(await explainRestrictions(merchantId, itemId, account, query)),
    await explainEntitlement(accountId, item, rows),
    await explainPin(merchantId, account),
  ];
  return presentExplanation({ itemId, accountId, present: account.present, steps, rows });
}

function explainSession({ isActive, sessions }: ExplainedAccount): Step {
  const step = 'session';
  if (!isActive) return { step, outcome: 'refused', reason: 'the account is not active' };
  if (sessions === 0) return { step, outcome: 'refused', reason: 'the customer is signed in nowhere' };
  return { step, outcome: 'passed', reason: `the customer has ${sessions} open sessions` };
}

function explainItem({ is_active: isActive }: ItemWithContent): Step {
  const reason = isActive ? 'the item is active' : 'the item is not active: who has access keeps it';
  return { step: 'item', outcome: 'passed', reason };
}

async function explainRestrictions(
  merchantId: number,
  itemId: number,
  account: ExplainedAccount,
  query: Query,
): Promise<Step[]> {
  const { dateOfBirth, present } = account;
  const address = query.ip_address ?? account.address;
  const { outcomes } = await checkRestrictions(
    { merchantId, dateOfBirth, host: query.host?.toLowerCase(), address, present },
    itemId,
  );
  const known: Record<RestrictionKind, string | undefined> = {
    domain: query.host === undefined ? 'it depends on the page that asks: name it with `host`' : undefined,
    geo: address === '' ? 'no address of the customer is known: name one with `ip_address`' : undefined,
    age: undefined,
  };
  return (['domain', 'geo', 'age'] as const).map((kind) => explainRule(kind, outcomes, known[kind]));
}

function explainRule(step: RestrictionKind, outcomes: readonly Outcome[], whyUnknown: string | undefined): Step {
  const found = outcomes.find(({ kind }) => kind === step);
  if (!found) return { step, outcome: 'no_rule', reason: 'the merchant restricts nothing' };
  const { outcome, reason } = found;
  if (outcome !== 'no_rule' && whyUnknown !== undefined) return { step, outcome: 'unknown', reason: whyUnknown };
  return { step, outcome, reason };
}

async function explainEntitlement(
  accountId: number,
  item: ItemWithContent,
  [first, ...others]: ExplainedRow[],
): Promise<Step> {
  const step = 'entitlement';
  if (first?.state === 'running') return { step, outcome: 'passed', reason: `${first.source}: access ${first.id}` };
  const wasTaken = [first, ...others].some((row) => row?.source === 'freemium');
  if (!wasTaken && (await isFreeTo(accountId, item)))
    return { step, outcome: 'passed', reason: 'free: the next check opens it' };
  if (!first) return { step, outcome: 'refused', reason: 'the customer never had access' };
  return { step, outcome: 'refused', reason: `no access runs: the last one is ${first.state.replace('_', ' ')}` };
}

async function explainPin(merchantId: number, { sessionsWithPin }: ExplainedAccount): Promise<Step> {
  const step = 'pin';
  if (!(await needsPin(merchantId))) return { step, outcome: 'no_rule', reason: 'no pin is required' };
  if (sessionsWithPin === 0)
    return { step, outcome: 'refused', reason: 'no pin was entered in an open session in the last 12 hours' };
  return { step, outcome: 'passed', reason: `a pin was entered in ${sessionsWithPin} open sessions` };
}
