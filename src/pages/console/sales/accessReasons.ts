import { explainAccess } from '../../../entitlements/explanations';
import { html, type Html } from '../../../kit/html';
import { lastUnixSecond } from '../../../kit/time';
import { findResendable } from '../../../subscriptions/receiptMails';
import { type subscriptionEndpoints } from '../../../subscriptions/subscriptions.endpoints';
import { type RowOf } from '../../layout/answers';
import { form, submit } from '../../layout/forms';
import { icon } from '../../layout/icons';
import { type TextKey, type Texts } from '../../layout/texts';
import { type VisitWith } from '../crudPages';
import { day, mayDo } from '../lists';
import { extensionTarget, type PurchaseRow } from './accesses';

/** Why a customer has access to an item or none, in one sentence, with the actions that help. */

type Explanation = Awaited<ReturnType<typeof explainAccess>>;
type Entitlement = Explanation['entitlements'][number];
type Subscription = RowOf<typeof subscriptionEndpoints.listSubscriptions>;

interface Bought {
  purchases: readonly PurchaseRow[];
  subscriptions: readonly Subscription[];
}

interface KnownPurchases extends Bought {
  /** The tokens of the purchases that have a receipt. */
  resendable: ReadonlySet<string>;
}

interface Standing {
  isActive: boolean;
  isActivated: boolean;
}

/** Each item is a check of its own, so only the items of the latest access are explained. */
const explainedItems = 8;

export async function accessReasons(
  visit: VisitWith<'id'>,
  texts: Texts,
  { isActive, isActivated }: Standing,
  bought: Bought,
): Promise<Html> {
  const { t } = texts;
  if (!isActive) return reasonCard(texts, [line(t('console.reasons.deactivated'), { isOpen: false })]);
  const itemIds = [...new Set(bought.purchases.map(({ item_id: id }) => id))].slice(0, explainedItems);
  const explained: Explanation[] = [];
  for (const itemId of itemIds)
    explained.push(await explainAccess(visit.caller, itemId, { explain: true, account_id: Number(visit.params.id) }));
  const tokens = bought.purchases.map(({ parent_resource_id: token }) => token);
  const known = { ...bought, resendable: await findResendable(visit.caller, tokens) };
  const own = explained.map((each) => reasonOf(visit, texts, each, known));
  const none = line(t('console.reasons.never'), { isOpen: false });
  return reasonCard(texts, [...(own.length === 0 ? [none] : own), ...(isActivated ? [] : [waitingLine(visit, texts)])]);
}

/** For a role that does not see purchases: only whether the account waits for its activation. */
export const activationReason = (visit: VisitWith<'id'>, texts: Texts, { isActive, isActivated }: Standing) =>
  isActive && !isActivated ? reasonCard(texts, [waitingLine(visit, texts)]) : html``;

const waitingLine = (visit: VisitWith<'id'>, texts: Texts) =>
  line(texts.t('console.reasons.notActivated'), { isOpen: false, actions: activationForm(visit, texts) });

const reasonCard = ({ t }: Texts, lines: readonly Html[]) =>
  html`<section class="card stack" aria-label="${t('console.reasons.title')}">${lines}</section>`;

function line(text: string, { isOpen, actions }: { isOpen: boolean; actions?: Html }): Html {
  const sign = isOpen
    ? html`<span class="sign good">${icon('check')}</span>`
    : html`<span class="sign warn">${icon('lock')}</span>`;
  return html`<div class="row spread">
    <p class="calm">${sign}<span>${text}</span></p>
    ${actions && html`<div class="row">${actions}</div>`}
  </div>`;
}

function reasonOf(visit: VisitWith<'id'>, texts: Texts, explanation: Explanation, bought: KnownPurchases): Html {
  const stepOf = (name: string) => explanation.steps.find(({ step }) => step === name);
  const { entitlements, item_id: itemId } = explanation;
  const [first] = entitlements;
  const purchase = bought.purchases.find(({ item_access_id: id }) => id === first?.id);
  const subscription = bought.subscriptions.find(({ subscription_id: id }) => id === purchase?.parent_resource_id);
  const item = bought.purchases.find(({ item_id: id }) => id === itemId)?.item_title ?? '';
  const actions = actionsOf(visit, texts, purchase, bought);
  // A rule for domains depends on the page that asks, so it is unknown here.
  const rule = (['geo', 'age'] as const).find((kind) => stepOf(kind)?.outcome === 'refused');
  const isOpen = stepOf('entitlement')?.outcome === 'passed';
  if (isOpen && rule) return line(texts.t(`console.reasons.${rule}`, { item }), { isOpen: false, actions });
  const seen: Seen = { item, itemId, first, subscription };
  return line(isOpen ? openText(texts, seen) : closedText(texts, seen), { isOpen, actions });
}

interface Seen {
  item: string;
  itemId: number;
  /** The access that the check uses, or the last one. */
  first: Entitlement | undefined;
  subscription: Subscription | undefined;
}

function openText(texts: Texts, { item, itemId, first, subscription }: Seen): string {
  const { t } = texts;
  if (first?.state !== 'running') return t('console.reasons.free', { item });
  const cause =
    first.item_id === itemId
      ? causeOf(texts, first, subscription)
      : t('console.reasons.package', { item: first.item_title });
  if (first.expires_at >= lastUnixSecond) return t('console.reasons.always', { item, cause });
  return t('console.reasons.until', { item, cause, date: day(texts, first.expires_at) });
}

function causeOf({ t }: Texts, { source }: Entitlement, subscription: Subscription | undefined): string {
  if (subscription) return t(`console.reasons.causes.${stateOf(subscription)}`);
  return t(`console.reasons.causes.${source}` as TextKey);
}

function stateOf({ status, cancel_at_period_end: isCanceled }: Subscription) {
  if (status === 'trialing' || status === 'past_due') return status;
  return isCanceled ? 'canceled' : 'paid';
}

function closedText(texts: Texts, { item, first, subscription }: Seen): string {
  const { t } = texts;
  if (!first) return t('console.reasons.none', { item });
  const { state, starts_at: from, expires_at: until, revoked_at: revokedAt } = first;
  if (state === 'revoked') return t('console.reasons.revoked', { item, date: day(texts, revokedAt) });
  if (state === 'not_begun') return t('console.reasons.notBegun', { item, date: day(texts, from) });
  const date = day(texts, until);
  if (subscription?.status === 'on_hold') return t('console.reasons.unpaid', { item, date });
  if (subscription?.status === 'paused') return t('console.reasons.paused', { item, date });
  return t(first.source === 'subscription' ? 'console.reasons.subscriptionEnded' : 'console.reasons.ended', {
    item,
    date,
  });
}

/** Extend what runs, and mail the receipt if there is one. */
function actionsOf(
  visit: VisitWith<'id'>,
  texts: Texts,
  purchase: PurchaseRow | undefined,
  { resendable }: KnownPurchases,
): Html {
  const { t } = texts;
  const target = purchase && extensionTarget(visit, purchase);
  const extend =
    target !== undefined &&
    html`<a class="button slim" href="?find=${target}#extend">${t('console.extend.button')}</a>`;
  const hasReceipt = purchase !== undefined && resendable.has(purchase.parent_resource_id);
  return html`${extend} ${hasReceipt && mayDo(visit, 'payments:write') && receiptForm(visit, texts, purchase)}`;
}

/** The name of the field by which a refused form of this card is known. */
export const resendField = 'resend';

function resendForm(visit: VisitWith<'id'>, action: string, label: string): Html {
  const content = html`<input type="hidden" name="${resendField}" value="true" />${submit(label, { kind: 'slim' })}`;
  return form(visit, { action: `/console/customers/${visit.params.id}/${action}`, content, className: 'row' });
}

const receiptForm = (visit: VisitWith<'id'>, { t }: Texts, { parent_resource_id: token }: PurchaseRow) =>
  resendForm(visit, `receipts/${token}/resend`, t('console.reasons.resendReceipt'));

const activationForm = (visit: VisitWith<'id'>, { t }: Texts) =>
  mayDo(visit, 'accounts:write')
    ? resendForm(visit, 'activation/resend', t('console.reasons.resendActivation'))
    : html``;
