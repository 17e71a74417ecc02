import { z } from 'zod';
import { html, type Html } from '../../kit/html';
import { page, Redirect, type PageResponse } from '../../kit/pages/page';
import { isUndecided } from '../../subscriptions/charges/processing';
import { authenticationEndpoints } from '../../subscriptions/authentications.endpoints';
import { subscriptionEndpoints } from '../../subscriptions/subscriptions.endpoints';
import { AppError } from '../../kit/errors';
import { offeredFeeEndpoints } from '../../vouchers/feeRules.endpoints';
import { meansText } from '../customer/cards';
import { changes, isUnderWay, makeChange } from '../customer/subscriptionChanges';
import { attempt, type Complaint } from '../layout/explain';
import { complaints } from '../layout/forms';
import { methodLabel } from '../layout/methods';
import { day, emptyCard, facts, pager } from '../layout/lists';
import { type Texts } from '../layout/texts';
import { actionsOf, overdue } from './actions';
import { balanceCard } from './balance';
import { findConfirmation } from './cardConfirmation';
import {
  addressIn,
  good,
  inPortal,
  openPortal,
  paywallOf,
  place,
  type Portal,
  portalPath,
  showInPortal,
  text,
  waiting,
} from './frame';
import {
  isOfStore,
  isOver,
  isRunning,
  isUnpaid,
  outlook,
  rateOf,
  stateBadge,
  type SubscriptionRow,
} from './subscriptionState';

export const SubscriptionPlace = z.object({ ...place, id: z.string().max(64) });

export const subscriptionPages = {
  showPortal: page({
    ...inPortal,
    method: 'get',
    path: portalPath,
    summary: 'The subscriptions of a customer',
    query: z.object({ page: text, lang: text }),
    handler: async (visit) => listPage(await openPortal(visit), visit.query.page),
  }),
  showSubscriptionInPortal: page({
    ...inPortal,
    method: 'get',
    path: `${portalPath}/subscriptions/{id}`,
    summary: 'One subscription with its actions',
    params: SubscriptionPlace,
    query: z.object({ done: text, fee: text, method: text, pending: text, lang: text }),
    handler: async (visit) => subscriptionPage(await openPortal(visit), visit.params.id, visit.query),
  }),
  changeSubscriptionInPortal: page({
    ...inPortal,
    method: 'post',
    path: `${portalPath}/subscriptions/{id}/{change}`,
    summary: 'Resumes, pauses or retries a subscription',
    params: SubscriptionPlace.extend({ change: z.enum(changes).exclude(['cancel']) }),
    form: z.object({ resumes_at: text }),
    handler: async (visit) => {
      const portal = await openPortal(visit);
      const { id, change } = visit.params;
      const outcome = await attempt(portal.texts, () =>
        makeChange(portal.visit, change, { params: { id }, body: visit.form }),
      );
      if ('refused' in outcome)
        return (
          findConfirmation(portal, outcome.error, { id }) ??
          subscriptionPage(portal, id, { complaint: outcome.refused })
        );
      return redirectWithNotice(portal, id, { done: confirmations[change] }, isUnderWay(outcome.done));
    },
  }),
};

/** The name of the confirmation for each change. */
const confirmations = { resume: 'resumed', pause: 'paused', retry: 'paid' } as const;

/**
 * The change that the last form requested, from the address. `fee`: the new plan. `method`: the new payment method.
 * `pending`: the change is in progress.
 */
interface SubscriptionAction {
  done?: string | undefined;
  fee?: string | undefined;
  method?: string | undefined;
  pending?: string | undefined;
}

/** Redirects to the subscription with the confirmation of a change. */
export function redirectWithNotice(portal: Portal, id: string, deed: SubscriptionAction, isPending: boolean): Redirect {
  const notice = { ...deed, ...(isPending && { pending: 'true' }) };
  return new Redirect(addressIn(portal, `subscriptions/${id}`, known(notice)));
}

async function listPage(portal: Portal, at: string | undefined): Promise<PageResponse> {
  const { visit, texts } = portal;
  const { t } = texts;
  const found = await visit.call(subscriptionEndpoints.listSubscriptions, { query: { page: at, limit: '20' } });
  const rows = found.collection.map((row) => subscriptionCard(portal, row));
  const content = html`${await balanceCard(portal)}
    ${rows.length === 0 ? emptyCard(t('portal.subscriptions.none'), 'subscriptions') : ''}
    <ul class="plain-list stack">
      ${rows}
    </ul>
    ${found.total > found.limit && pager(visit, texts, found)}`;
  return showInPortal(portal, { section: 'subscriptions', title: t('portal.sections.subscriptions') }, content);
}

function subscriptionCard(portal: Portal, row: SubscriptionRow): Html {
  const { texts } = portal;
  const to = addressIn(portal, `subscriptions/${row.subscription_id}`);
  return html`<li class="card stack">
    <div class="row spread">
      <h2><bdi>${row.item_title}</bdi></h2>
      ${stateBadge(texts, row)}
    </div>
    <div class="tight">
      <p><bdi>${row.description}</bdi> · <span class="amount">${rateOf(texts, row)}</span></p>
      <p class="quiet">${outlook(texts, row)}</p>
    </div>
    <p class="row">
      <a
        class="button slim"
        href="${to}"
        aria-label="${texts.t('portal.subscriptions.manageWhat', { title: row.item_title })}"
        >${texts.t('portal.subscriptions.manage')}</a
      >
      ${!isOver(row) && html`<a class="small" href="${paywallOf(portal, row.item_id)}">${texts.t('portal.subscriptions.watch')}</a>`}
    </p>
  </li>`;
}

/** A subscription with its actions. `complaint`: the last form was refused. */
export async function subscriptionPage(
  portal: Portal,
  id: string,
  { complaint, ...deed }: SubscriptionAction & { complaint?: Complaint },
): Promise<PageResponse> {
  const { visit, texts } = portal;
  const row = await visit.call(subscriptionEndpoints.getSubscription, { params: { id } });
  const [bank, fees, isDebited] = await Promise.all([
    findBank(portal, row, deed),
    findPlans(portal, row),
    isUnpaid(row) && visit.caller !== undefined && isUndecided(visit.caller, id),
  ]);
  const again = addressIn(portal, `subscriptions/${id}`, known(deed));
  const notice = complaint
    ? complaints(texts, complaint, { resumes_at: texts.t('portal.subscriptions.pauseUntil') })
    : noticeOf(portal, row, deed, again);
  const position = {
    section: 'subscriptions',
    title: row.item_title,
    back: { address: addressIn(portal), text: texts.t('portal.sections.subscriptions') },
    notice,
  } as const;
  const content = html`<section class="card stack">
      <div class="row spread">
        <h2><bdi>${row.description}</bdi></h2>
        ${stateBadge(texts, row)}
      </div>
      <p>${outlook(texts, row)}</p>
      ${isUnpaid(row) || bank !== undefined ? overdue(portal, row, { bank, again, isDebited }) : ''}
      ${!isOver(row) && html`<p><a class="button" href="${paywallOf(portal, row.item_id)}">${texts.t('portal.subscriptions.watch')}</a></p>`}
    </section>
    ${actionsOf(portal, row, { complaint, hasOtherPlans: fees.some(({ id: fee }) => fee !== row.access_fee_id) })}
    <section class="card stack">
      <h2>${texts.t('portal.subscriptions.more')}</h2>
      ${factsOf(portal, row, fees)}
    </section>`;
  return showInPortal(portal, position, content, complaint ? { status: 422 } : {});
}

/** Confirms a change that the row already shows. Otherwise the change is in progress. */
function noticeOf(
  portal: Portal,
  row: SubscriptionRow,
  { done, fee, method, pending }: SubscriptionAction,
  again: string,
): Html {
  const { t } = portal.texts;
  if (row.status === 'incomplete') return waiting(portal, t('portal.pending.payment'), again);
  const shows = {
    cancelled: row.cancel_at_period_end || isOver(row),
    resumed: isNotStopping(row),
    paused: row.pauses_at_period_end || row.status === 'paused',
    switched: [row.access_fee_id, row.pending_access_fee_id].some((id) => String(id) === fee),
    methodChanged: row.payment_method_name === method,
    paid: isRunning(row),
    kept: row.pauses_at_period_end || row.pending_access_fee_id !== 0 || row.offer_charges_left > 0,
  };
  const deed = (Object.keys(shows) as (keyof typeof shows)[]).find((name) => name === done);
  if (deed === undefined) return html``;
  if (shows[deed]) return good(t(`portal.done.${deed}`));
  if (deed === 'cancelled') return waiting(portal, t('portal.pending.cancelled'), again);
  return pending === 'true' ? waiting(portal, t('portal.pending.change'), again) : html``;
}

const known = (deed: SubscriptionAction) =>
  Object.fromEntries(Object.entries(deed).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));

const isNotStopping = ({ cancel_at_period_end, pauses_at_period_end, status }: SubscriptionRow) =>
  !cancel_at_period_end && !pauses_at_period_end && status !== 'paused';

/**
 * The page where the payer authenticates a waiting charge. Undefined if no charge waits. A change in progress can also
 * wait for the payer.
 */
async function findBank({ visit }: Portal, row: SubscriptionRow, { pending }: SubscriptionAction) {
  const mayWait = row.status === 'incomplete' || isUnpaid(row) || pending === 'true';
  if (isOfStore(row) || !mayWait) return undefined;
  try {
    const params = { id: row.subscription_id };
    return (await visit.call(authenticationEndpoints.getAuthentication, { params })).redirect_to_url;
  } catch (error) {
    if (error instanceof AppError && error.code === 'payment_not_found') return undefined;
    throw error;
  }
}

/** The plans that the subscription can switch to. */
export async function findPlans({ visit }: Portal, row: SubscriptionRow) {
  if (isOver(row)) return [];
  const fees = await visit.call(offeredFeeEndpoints.listAccessFees, { params: { id: row.item_id } });
  return fees.filter(
    ({ access_type, currency, plan_switch_enabled }) =>
      access_type.name === 'subscription' && currency === row.currency && plan_switch_enabled,
  );
}

/** The discount of an accepted offer. Undefined if none is left. */
function discountOf({ t, percent }: Texts, { offer_percent, offer_charges_left: count }: SubscriptionRow) {
  if (count === 0) return undefined;
  return t('portal.facts.offered', { percent: percent(offer_percent), count });
}

/** What pays for the subscription: the store, the card or the account with its last digits, or PayPal. */
function methodOf(texts: Texts, row: SubscriptionRow): string | undefined {
  const { payment_method_name: name, payment_tool_info: digits } = row;
  if (isOfStore(row)) return name;
  return digits === '' ? methodLabel(texts, name) : meansText(texts, name, digits);
}

function factsOf({ texts }: Portal, row: SubscriptionRow, fees: Awaited<ReturnType<typeof findPlans>>): Html {
  const { t } = texts;
  const next = fees.find(({ id }) => id === row.pending_access_fee_id);
  return facts([
    [t('portal.facts.plan'), html`<bdi>${row.description}</bdi>`],
    [t('portal.facts.price'), rateOf(texts, row)],
    [t('portal.facts.nextPlan'), next && html`<bdi>${next.description}</bdi>`],
    [t('portal.facts.voucher'), row.voucher_code],
    [t('portal.facts.discount'), discountOf(texts, row)],
    [t('portal.facts.since'), day(texts, row.created_at)],
    [t('portal.facts.trialEnds'), row.status === 'trialing' && day(texts, row.trial_end)],
    [t('portal.facts.paidUntil'), row.status === 'active' && day(texts, row.current_period_end)],
    [t('portal.facts.card'), methodOf(texts, row)],
    [t('portal.facts.number'), html`<code>${row.subscription_id}</code>`],
  ]);
}
