import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { type PageResponse, type Visit } from '../../../kit/pages/page';
import { voucherBatchEndpoints } from '../../../vouchers/batches.endpoints';
import { type RowOf } from '../../layout/answers';
import { complaints, field, form, submit } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { crudPages, type PageState } from '../crudPages';
import { filled } from '../fields';
import { refusedIf, showInConsole } from '../frame';
import { csvAddress, day, emptyWith, given, mayDo, mayDownload, pager, table } from '../lists';
import { termFields, termNames } from './voucherFields';
import { voucherTabs } from './voucherTabs';

const address = '/console/voucher-batches';
const batchFields = [...termNames, 'count', 'prefix', 'length', 'suffix'];

const pages = crudPages({
  address,
  feature: 'vouchers',
  auth: merchant('vouchers:read'),
  writing: merchant('vouchers:write'),
  list: batchesPage,
  blank: batchPage,
});
const { createVoucherBatch, listVoucherBatches } = voucherBatchEndpoints;

/** Batches of voucher codes with the same terms. */
export const voucherBatchPages = {
  showVoucherBatches: pages.list('The batches of vouchers'),
  showNewVoucherBatch: pages.new('A new batch of vouchers'),
  createVoucherBatchInConsole: pages.create('Creates a batch of vouchers', ({ callOnce, form: body }) =>
    callOnce(createVoucherBatch, { body }),
  ),
};

async function batchesPage(visit: Visit, { page: at, done }: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const query = given({ page: at });
  const found = await visit.call(listVoucherBatches, { query });
  const actions =
    mayDo(visit, 'vouchers:write') &&
    html`<a class="button main" href="${address}/new">${texts.t('console.vouchers.createBatch')}</a>`;
  const place = { section: 'vouchers', title: texts.t('console.vouchers.batches'), actions, done } as const;
  const content = html`${voucherTabs(visit, texts, address)} ${batchTable(visit, texts, found.collection)}
  ${pager(visit, texts, found, { list: 'voucher-batches', query })}`;
  return showInConsole(visit, place, content);
}

type BatchRow = RowOf<typeof listVoucherBatches>;

function batchTable(visit: Visit, texts: Texts, rows: readonly BatchRow[]): Html {
  const { t, number } = texts;
  const codesOf = (id: number) => ({ list: 'vouchers', query: { search: [`batch:${id}`] } }) as const;
  const file = ({ id }: BatchRow) =>
    html`<a class="button slim" href="${csvAddress(codesOf(id))}" download>${t('console.vouchers.codesFile')}</a>`;
  const next = { address: `${address}/new`, text: t('console.vouchers.createBatch'), scope: 'vouchers:write' } as const;
  return table({
    title: t('console.vouchers.batches'),
    rows,
    empty: emptyWith(visit, t('console.vouchers.noBatches'), next),
    columns: [
      {
        title: t('console.fields.name'),
        cell: ({ id, name }) => html`<a href="/console/vouchers?batch=${id}">${name}</a>`,
      },
      { title: t('console.vouchers.codes'), cell: ({ count }) => number(count), isNumber: true },
      { title: t('console.vouchers.used'), cell: ({ uses }) => number(uses), isNumber: true },
      { title: t('console.fields.createdAt'), cell: (row) => day(texts, Date.parse(row.created_at) / 1000) },
      ...(mayDownload(visit) ? [{ title: t('console.fields.actions'), cell: file }] : []),
    ],
  });
}

function batchPage(visit: Visit, { values = {}, complaint }: PageState): PageResponse {
  const texts = textsFor(visit);
  const { t } = texts;
  const known = filled(values, complaint);
  const content = html`${complaints(texts, complaint, batchFields)}
    <div class="halves">
      ${field(texts, { ...known('name'), label: t('console.fields.name'), isRequired: true })}
      ${field(texts, { ...known('count'), label: t('console.vouchers.codeCount'), hint: t('console.vouchers.codeCountHint'), inputmode: 'numeric', isRequired: true })}
    </div>
    <div class="halves">
      ${field(texts, { ...known('prefix'), label: t('console.vouchers.prefix'), maxlength: 25 })}
      ${field(texts, { ...known('length'), label: t('console.vouchers.length'), hint: t('console.vouchers.batchLengthHint'), inputmode: 'numeric' })}
      ${field(texts, { ...known('suffix'), label: t('console.vouchers.suffix'), maxlength: 25 })}
    </div>
    ${termFields(texts, { usage_limit: '1', ...values }, complaint)} ${submit(t('console.vouchers.createBatch'))}`;
  const place = {
    section: 'vouchers',
    title: t('console.vouchers.createBatch'),
    back: { address, text: t('console.vouchers.batches') },
  } as const;
  const card = html`<div class="card">${form(visit, { action: `${address}/new`, content })}</div>`;
  return showInConsole(visit, place, card, refusedIf(complaint));
}
