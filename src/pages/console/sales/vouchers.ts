import { merchant } from '../../../kit/auth';
import { html, type Html, type Written } from '../../../kit/html';
import { type PageResponse, type Visit } from '../../../kit/pages/page';
import { voucherEndpoints } from '../../../vouchers/vouchers.endpoints';
import { copyableInRow } from '../../layout/copyable';
import { type RowOf } from '../../layout/answers';
import { type Complaint } from '../../layout/explain';
import { complaints, form, submit } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { changesOf } from '../changes';
import { crudPages, type PageState, type VisitWith } from '../crudPages';
import { timeValue } from '../fields';
import { confirmButton, type MerchantVisit, readOnlyCard, showInConsole } from '../frame';
import { savedFilters } from '../savedFilters';
import {
  day,
  emptyOf,
  emptyWith,
  given,
  mayDo,
  mayUse,
  orderIn,
  partIn,
  searchForm,
  sizedPager,
  type Sorting,
  sortingOf,
  table,
} from '../lists';
import { rulesPart } from './ruleList';
import { codeFields, discountText, generatedFields, termFields, voucherFields } from './voucherFields';
import { voucherTabs } from './voucherTabs';

const address = '/console/vouchers';
const pages = crudPages({
  address,
  feature: 'vouchers',
  auth: merchant('vouchers:read'),
  writing: merchant('vouchers:write'),
  list: vouchersPage,
  blank: voucherPage,
  one: storedVoucherPage,
});
const { createVoucher, deleteVoucher, getVoucher, listVouchers, updateVoucher } = voucherEndpoints;

export const voucherPages = {
  showVouchers: pages.list('The vouchers'),
  showNewVoucher: pages.new('A new voucher'),
  createVoucherInConsole: pages.create('Creates a voucher', ({ call, form: body }) => call(createVoucher, { body })),
  showVoucher: pages.show('One voucher'),
  updateVoucherInConsole: pages.update('Changes a voucher', ({ call, params, form: body }) =>
    call(updateVoucher, { params, body }),
  ),
  deleteVoucherInConsole: pages.delete('Deletes a voucher', ({ call, params }) => call(deleteVoucher, { params })),
};

async function vouchersPage(visit: MerchantVisit, state: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const { search = '', batch = '', done } = state;
  const terms = Object.entries(given({ code: search, batch })).map(([key, value]) => `${key}:${value}`);
  const query = { ...partIn(state), ...(terms.length > 0 && { search: terms }) };
  const order = orderIn(state);
  const found = await visit.call(listVouchers, { query });
  const actions =
    mayDo(visit, 'vouchers:write') &&
    html`<a class="button main" href="${address}/new">${t('console.vouchers.create')}</a>`;
  const place = { section: 'vouchers', title: t('console.sections.vouchers'), actions, done } as const;
  const next = { address: `${address}/new`, text: t('console.vouchers.create'), scope: 'vouchers:write' } as const;
  const none = emptyOf(texts, address, { search, batch }, emptyWith(visit, t('console.vouchers.none'), next));
  const content = html`${voucherTabs(visit, texts, address)}
  ${searchForm(texts, { action: address, search, label: t('console.fields.code'), ...order })}
  ${await savedFilters(visit, texts, 'vouchers', { search, ...order })}
  ${voucherTable(texts, found.collection, sortingOf(visit, texts, order), none)}
  ${sizedPager(visit, texts, found, { list: 'vouchers', query })}`;
  return showInConsole(visit, place, content);
}

function voucherTable(
  texts: Texts,
  rows: readonly RowOf<typeof listVouchers>[],
  sorting: Sorting,
  empty: Written,
): Html {
  const { t, number } = texts;
  const dayOf = (date: string | null) => (date === null ? '' : day(texts, Date.parse(date) / 1000));
  return table({
    title: t('console.sections.vouchers'),
    rows,
    empty,
    sorting,
    columns: [
      {
        title: t('console.fields.name'),
        cell: ({ id, name }) => html`<a href="${address}/${id}">${name}</a>`,
        sort: { by: 'name', first: 'asc' },
      },
      {
        title: t('console.fields.code'),
        cell: ({ code }) => copyableInRow(texts, { value: code, shown: html`<code>${code}</code>` }),
        sort: { by: 'code', first: 'asc' },
      },
      { title: t('console.vouchers.discount'), cell: (row) => discountText(texts, row), isNumber: true },
      {
        title: t('console.vouchers.used'),
        cell: ({ usage_counter, usage_limit }) =>
          usage_limit === null
            ? number(usage_counter)
            : html`<bdi dir="ltr">${number(usage_counter)} / ${number(usage_limit)}</bdi>`,
        isNumber: true,
      },
      { title: t('console.fields.from'), cell: ({ start_date }) => dayOf(start_date) },
      {
        title: t('console.fields.until'),
        cell: ({ end_date }) => dayOf(end_date),
        sort: { by: 'ends', first: 'asc' },
      },
    ],
  });
}

/** The page of a voucher, with its terms and rules. */
export async function storedVoucherPage(
  visit: VisitWith<'id'>,
  { values, complaint, rulesComplaint, find, done }: PageState & { rulesComplaint?: Complaint | undefined },
): Promise<PageResponse> {
  const { id } = visit.params;
  const texts = textsFor(visit);
  const { rules, ...voucher } = await visit.call(getVoucher, { params: { id } });
  const dates = { start_date: timeValue(voucher.start_date), end_date: timeValue(voucher.end_date) };
  const rulesBelow = await rulesPart(visit, texts, { id, rules, find, complaint: rulesComplaint });
  const isRefused = (complaint ?? rulesComplaint) !== undefined;
  const shown = values ?? { ...voucher, ...dates };
  const whole = html`${rulesBelow} ${await changesOf(visit, texts, { type: 'voucher', id })}`;
  return voucherPage(visit, { id, values: shown, complaint, done, below: whole, isRefused });
}

interface Filled extends PageState {
  id?: string;
  /** What follows the form of a stored voucher. */
  below?: Html;
  /** Whether the page shows the error of a rule instead of the voucher. */
  isRefused?: boolean;
}

function voucherPage(
  visit: Visit,
  { id, values = {}, complaint, done, below, isRefused = complaint !== undefined }: Filled,
): PageResponse {
  const texts = textsFor(visit);
  const { t } = texts;
  const title = id === undefined ? t('console.vouchers.create') : t('console.vouchers.edit');
  const action = `${address}/${id ?? 'new'}`;
  const content = html`${complaints(texts, complaint, voucherFields)} ${codeFields(texts, values, complaint)}
  ${termFields(texts, values, complaint)} ${id === undefined && generatedFields(texts, values, complaint)}`;
  const button = submit(id === undefined ? t('console.vouchers.create') : t('common.save'));
  const shown = mayDo(visit, 'vouchers:write')
    ? html`<div class="card">${form(visit, { action, content: html`${content} ${button}` })}</div>`
    : readOnlyCard(content);
  const place = {
    section: 'vouchers',
    title,
    back: { address, text: t('console.sections.vouchers') },
    actions:
      id !== undefined &&
      mayUse(visit, deleteVoucher) &&
      confirmButton(visit, {
        action: `${action}/delete`,
        label: t('console.delete'),
        question: t('console.vouchers.deleteQuestion'),
      }),
    done,
  } as const;
  return showInConsole(visit, place, html`${shown} ${below}`, isRefused ? { status: 422 } : {});
}
