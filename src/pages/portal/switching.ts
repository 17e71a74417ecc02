import { html, type Html } from '../../kit/html';
import { page, type PageResponse } from '../../kit/pages/page';
import { z } from 'zod';
import { subscriptionChangeEndpoints } from '../../subscriptions/changes/changes.endpoints';
import { subscriptionEndpoints } from '../../subscriptions/subscriptions.endpoints';
import { withShownPrices } from '../../tax/shownPrices';
import { type Fee, feeContent } from '../customer/fees';
import { isUnderWay } from '../customer/subscriptionChanges';
import { type AnswerOf } from '../layout/answers';
import { attempt, type Complaint } from '../layout/explain';
import { complaints, form, radios, submit } from '../layout/forms';
import { findConfirmation } from './cardConfirmation';
import { addressIn, inPortal, openPortal, pageId, type Portal, portalPath, showInPortal, text } from './frame';
import { type SubscriptionRow } from './subscriptionState';
import { emptyCard } from '../layout/lists';
import { findPlans, SubscriptionPlace, redirectWithNotice } from './subscriptions';

const switching = { ...inPortal, path: `${portalPath}/subscriptions/{id}/switch`, params: SubscriptionPlace } as const;

/** A plan change: the choice, the preview of its price, and the confirmation. */
export const switchingPages = {
  showSwitch: page({
    ...switching,
    method: 'get',
    summary: 'The available plans, and the cost of a change',
    query: z.object({ fee: text, lang: text }),
    handler: async (visit) => switchPage(await openPortal(visit), visit.params.id, { fee: visit.query.fee }),
  }),
  switchInPortal: page({
    ...switching,
    method: 'post',
    summary: 'Changes the plan',
    form: z.object({ access_fee_id: text, mode: text, expected_amount: text }),
    handler: async (visit) => {
      const portal = await openPortal(visit);
      const { id } = visit.params;
      const sent = { params: { id }, body: visit.form };
      const deed = { done: 'switched', fee: visit.form.access_fee_id ?? '' };
      const outcome = await attempt(portal.texts, () => visit.call(subscriptionChangeEndpoints.switchPlan, sent));
      if ('done' in outcome) return redirectWithNotice(portal, id, deed, isUnderWay(outcome.done));
      const fee = visit.form.access_fee_id;
      const confirmation = findConfirmation(portal, outcome.error, { id, at: 'switch', fee });
      return confirmation ?? switchPage(portal, id, { fee, complaint: outcome.refused });
    },
  }),
};

type Preview = AnswerOf<typeof subscriptionChangeEndpoints.previewSwitch>;

interface Chosen {
  fee?: string | undefined;
  complaint?: Complaint | undefined;
}

async function switchPage(portal: Portal, id: string, { fee: wanted, complaint }: Chosen): Promise<PageResponse> {
  const { visit, texts } = portal;
  const { t } = texts;
  const row = await visit.call(subscriptionEndpoints.getSubscription, { params: { id } });
  const others = (await findPlans(portal, row)).filter((plan) => plan.id !== row.access_fee_id);
  const plans = await showPlans(portal, row, others);
  const chosen = plans.find((plan) => String(plan.id) === wanted);
  const outcome = chosen && (await attempt(texts, () => previewOf(portal, row, chosen)));
  const wrong = complaint ?? (outcome && 'refused' in outcome ? outcome.refused : undefined);
  const back = addressIn(portal, `subscriptions/${id}`);
  const position = {
    section: 'subscriptions',
    title: t('portal.switch.title'),
    back: { address: back, text: row.item_title },
    notice: complaints(texts, wrong, []),
  } as const;
  const none = emptyCard(t('portal.switch.none'));
  const content = html`${plans.length === 0 ? none : choiceForm(portal, row, plans, chosen)}
    ${chosen && outcome && 'done' in outcome ? summary(portal, row, chosen, outcome.done) : ''}
    <p><a href="${back}">${t('portal.switch.keep')}</a></p>`;
  return showInPortal(portal, position, content, wrong ? { status: 422 } : {});
}

function previewOf({ visit }: Portal, row: SubscriptionRow, plan: Fee): Promise<Preview> {
  const sent = { params: { id: row.subscription_id }, body: { access_fee_id: String(plan.id) } };
  return visit.call(subscriptionChangeEndpoints.previewSwitch, sent);
}

/** A subscription keeps prices with or without tax, whatever the merchant has set for new ones. */
async function showPlans({ visit }: Portal, row: SubscriptionRow, plans: readonly Fee[]): Promise<readonly Fee[]> {
  const isAdded = row.tax_behavior !== undefined;
  if (visit.caller && isAdded) return withShownPrices(visit.caller, plans, { isAdded });
  return plans.map((plan) => ({ ...plan, tax_behavior: undefined, shown_price: undefined }));
}

/** The form for the choice of a plan. It changes nothing, so its result has an address. */
function choiceForm(portal: Portal, row: SubscriptionRow, plans: readonly Fee[], chosen: Fee | undefined): Html {
  const { texts } = portal;
  const { t } = texts;
  const action = addressIn(portal, `subscriptions/${row.subscription_id}/switch`);
  const choices = plans.map((plan) => ({ value: String(plan.id), content: feeContent(texts, plan) }));
  const value = chosen === undefined ? undefined : String(chosen.id);
  return html`<form
    method="get"
    action="${action}"
    name="plans"
    class="card stack slender"
    hx-get="${action}"
    hx-target="#${pageId}"
    hx-swap="outerHTML"
    hx-push-url="true"
  >
    ${radios({ name: 'fee', label: t('portal.switch.choose'), value, choices })}
    ${submit(t('portal.switch.preview'), { kind: chosen === undefined ? 'main' : 'other' })}
  </form>`;
}

function summary(portal: Portal, row: SubscriptionRow, plan: Fee, preview: Preview): Html {
  const { texts, visit } = portal;
  const { t, money, percent } = texts;
  const { total, balance, currency, mode } = preview;
  const line = (name: string, amount: number, className = '') =>
    html`<div class="row spread ${className}">
      <dt>${name}</dt>
      <dd class="amount">${money(amount, currency)}</dd>
    </div>`;
  const lines = preview.lines.map(({ amount }) =>
    amount < 0
      ? line(t('portal.switch.unused', { plan: row.description }), amount)
      : line(t('portal.switch.newPlan', { plan: plan.description }), amount),
  );
  const rest =
    balance === 0 ? '' : line(t(`portal.switch.${balance > 0 ? 'credit' : 'added'}`), Math.abs(balance), 'quiet');
  const taxLine =
    preview.tax_amount === 0
      ? ''
      : line(t('billing.taxOf', { rate: percent(preview.tax_rate) }), preview.tax_amount, 'quiet');
  const content = html`<input type="hidden" name="access_fee_id" value="${plan.id}" />
    <input type="hidden" name="mode" value="${mode}" />
    <input type="hidden" name="expected_amount" value="${total}" />
    ${submit(total > 0 ? t('portal.switch.confirmPay', { price: money(total, currency) }) : t('portal.switch.confirm'), { isFull: true })}`;
  const action = addressIn(portal, `subscriptions/${row.subscription_id}/switch`);
  return html`<section class="card stack slender" aria-labelledby="costs">
    <h2 id="costs" tabindex="-1" data-focus>${t('portal.switch.summary')}</h2>
    <p>${beginning(portal, preview)}</p>
    <dl class="lines">${lines} ${line(t('portal.switch.total'), total, 'total strong')} ${taxLine} ${rest}</dl>
    ${preview.lines.some(({ amount }) => amount < 0) && html`<p class="quiet small">${t('portal.switch.exact')}</p>`}
    ${form(visit, { action, target: pageId, content, name: 'switch' })}
  </section>`;
}

function beginning({ texts: { t, date } }: Portal, { mode, total, date: at }: Preview): string {
  if (mode === 'next_period') return t('portal.switch.later', { date: date(at) });
  if (mode === 'next_invoice') return t('portal.switch.nextInvoice');
  return t(total > 0 ? 'portal.switch.now' : 'portal.switch.nowFree');
}
