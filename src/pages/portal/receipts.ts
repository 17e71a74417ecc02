import { z } from 'zod';
import { html, type Html } from '../../kit/html';
import { page, PageResponse } from '../../kit/pages/page';
import { historyEndpoints } from '../../subscriptions/histories.endpoints';
import { receiptEndpoints } from '../../subscriptions/receipts.endpoints';
import { untaxedText } from '../customer/billing';
import { type RowOf } from '../layout/answers';
import { emptyCard, pager } from '../layout/lists';
import { balanceCard } from './balance';
import { addressIn, inPortal, openPortal, place, type Portal, portalPath, showInPortal, text } from './frame';

/** The payments and refunds of a customer. Each has its receipt, or its invoice or credit note. */
export const receiptPages = {
  showReceipts: page({
    ...inPortal,
    method: 'get',
    path: `${portalPath}/receipts`,
    summary: 'The payments and refunds of a customer',
    query: z.object({ page: text, lang: text }),
    handler: async (visit) => receiptsPage(await openPortal(visit), visit.query.page),
  }),
  downloadReceipt: page({
    ...inPortal,
    method: 'get',
    path: `${portalPath}/receipts/{trx_token}`,
    summary: 'The receipt of a payment',
    params: z.object({ ...place, trx_token: z.string().max(100) }),
    handler: async (visit) => {
      const { trx_token } = visit.params;
      const bytes = await visit.call(receiptEndpoints.getReceipt, { params: { trx_token } });
      const headers = { 'Content-Disposition': `attachment; filename="receipt-${trx_token}.pdf"` };
      return new PageResponse(bytes, { contentType: 'application/pdf', headers });
    },
  }),
};

type Payment = RowOf<typeof historyEndpoints.listPaymentHistory>;

async function receiptsPage(portal: Portal, at: string | undefined): Promise<PageResponse> {
  const { visit, texts } = portal;
  const { t } = texts;
  const found = await visit.call(historyEndpoints.listPaymentHistory, { query: { page: at, limit: '20' } });
  const rows = found.collection.map((payment) => entry(portal, payment));
  const list = html`<ul class="card entries">
    ${rows}
  </ul>`;
  const none = emptyCard(t('portal.receipts.none'), 'receipt');
  const content = html`<p><a class="button slim" href="${addressIn(portal, 'billing')}">${t('billing.title')}</a></p>
    ${await balanceCard(portal)} ${rows.length === 0 ? none : list}
    ${found.total > found.limit && pager(visit, texts, found)}`;
  return showInPortal(portal, { section: 'receipts', title: t('portal.sections.receipts') }, content);
}

function entry(portal: Portal, payment: Payment): Html {
  const { texts } = portal;
  const { t } = texts;
  const { action_type: type, item_title: title, charged_amount: amount } = payment;
  const date = texts.date(payment.created_at);
  const paid = texts.money(type === 'refund' ? -Math.abs(amount) : amount, payment.currency_iso);
  const fee = payment.access_fee_description;
  const isPaid = (type === 'charge' || type === 'recurrent') && (amount > 0 || payment.balance > 0);
  const hasReceipt = isPaid || type === 'refund';
  const to = addressIn(portal, `receipts/${payment.trx_token}`);
  return html`<li>
    <div class="tight">
      <p class="strong"><bdi>${title}</bdi></p>
      <p class="quiet small">
        ${date} · ${t(`portal.receipts.types.${type}`)}${fee !== '' && html` · <bdi>${fee}</bdi>`}
      </p>
      ${taxOf(portal, payment)} ${balanceOf(portal, payment)} ${pendingOf(portal, payment)}
    </div>
    <div class="tight end">
      <p class="amount strong">${paid}</p>
      ${
        hasReceipt &&
        html`<p class="small">
          <a href="${to}" aria-label="${t('portal.receipts.downloadWhat', { date, title })}" download
            >${t('portal.receipts.download')}</a
          >
        </p>`
      }
    </div>
  </li>`;
}

/** The tax within the amount, or why a business has none. */
function taxOf(
  { texts }: Portal,
  { tax_amount: amount, tax_rate: rate, tax_treatment: treatment, currency_iso: currency }: Payment,
): Html | string {
  const small = (text: string) => html`<p class="quiet small">${text}</p>`;
  const untaxed = untaxedText(texts, treatment);
  if (untaxed !== undefined) return small(untaxed);
  if (amount === 0) return '';
  return small(texts.t('billing.taxWithin', { amount: texts.money(amount, currency), rate: texts.percent(rate) }));
}

/** A refund that the customer's bank has not confirmed yet. */
function pendingOf(
  { texts }: Portal,
  { pending_refund_amount: amount, currency_iso: currency }: Payment,
): Html | string {
  if (amount === 0) return '';
  return html`<p class="small">
    ${texts.t('portal.receipts.pendingRefund', { amount: texts.money(amount, currency) })}
  </p>`;
}

/** The credit that a payment used, or the debt that it collected. */
function balanceOf({ texts }: Portal, { balance, currency_iso: currency }: Payment): Html | string {
  if (balance === 0) return '';
  const amount = texts.money(Math.abs(balance), currency);
  return html`<p class="quiet small">
    ${texts.t(`portal.balance.${balance > 0 ? 'used' : 'collected'}`, { amount })}
  </p>`;
}
