import { z } from 'zod';
import { type Caller, merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { page, Redirect, type Shown, type Visit } from '../../../kit/pages/page';
import { voucherEndpoints } from '../../../vouchers/endpoints';
import { type Complaint } from '../../layout/explain';
import { complaints, field, form, select, submit } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { AnyForm, filled, timeField, timeValue, type Tried, type Values } from '../fields';
import { carryOut, asking, folded, IdPath, inConsole, ListQuery, listQuery, showInConsole } from '../frame';
import { given, pager, searchForm, table } from '../lists';
import { rulesPart } from './ruleList';
import { voucherTabs } from './voucherTabs';

const reading = { ...inConsole, feature: 'vouchers', auth: merchant('vouchers:read'), method: 'get' } as const;
const writing = { ...inConsole, feature: 'vouchers', auth: merchant('vouchers:write'), method: 'post' } as const;

export const voucherPages = {
  showVouchers: page({
    ...reading,
    path: '/console/vouchers',
    summary: 'The vouchers',
    query: ListQuery,
    handler: async (visit) => {
      const texts = textsFor(visit);
      const { t } = texts;
      const { search = '', page: at, done } = visit.query;
      const query = { ...given({ page: at }), ...(search !== '' && { search: [`code:${search}`] }) };
      const found = await visit.call(voucherEndpoints.listVouchers, { query });
      const actions = html`<a class="button main" href="/console/vouchers/new">${t('console.vouchers.create')}</a>`;
      const place = { section: 'vouchers', title: t('console.sections.vouchers'), actions, done } as const;
      const form = searchForm(texts, '/console/vouchers', search, t('console.fields.code'));
      const list = voucherTable(texts, found.collection);
      const content = html`${voucherTabs(visit, texts, '/console/vouchers')} ${form} ${list}
      ${pager(visit, texts, found, { list: 'vouchers', query })}`;
      return showInConsole(visit, place, content);
    },
  }),
  showNewVoucher: page({
    ...reading,
    auth: merchant('vouchers:write'),
    path: '/console/vouchers/new',
    summary: 'A new voucher',
    handler: (visit) => Promise.resolve(voucherPage(visit, {})),
  }),
  createVoucherInConsole: page({
    ...writing,
    path: '/console/vouchers/new',
    summary: 'Creates a voucher',
    form: AnyForm,
    handler: async (visit) => {
      return carryOut(visit, {
        work: () => visit.call(voucherEndpoints.createVoucher, { body: visit.form }),
        again: (complaint) => voucherPage(visit, { values: visit.form, complaint }),
        next: '/console/vouchers?done=created',
      });
    },
  }),
  showVoucher: page({
    ...reading,
    path: '/console/vouchers/{id}',
    summary: 'One voucher',
    params: IdPath,
    query: z.object({ ...listQuery, find: z.string().optional() }),
    handler: (visit) => storedVoucherPage(visit, visit.params.id, visit.query),
  }),
  updateVoucherInConsole: page({
    ...writing,
    path: '/console/vouchers/{id}',
    summary: 'Changes a voucher',
    params: IdPath,
    form: AnyForm,
    handler: (visit) => {
      const { params, form: body } = visit;
      return carryOut(visit, {
        work: () => visit.call(voucherEndpoints.updateVoucher, { params, body }),
        again: (complaint) => storedVoucherPage(visit, params.id, { values: body, complaint }),
        next: '/console/vouchers?done=saved',
      });
    },
  }),
  deleteVoucherInConsole: page({
    ...writing,
    path: '/console/vouchers/{id}/delete',
    summary: 'Deletes a voucher',
    params: IdPath,
    handler: async (visit) => {
      await visit.call(voucherEndpoints.deleteVoucher, { params: visit.params });
      return new Redirect('/console/vouchers?done=deleted');
    },
  }),
};

interface VoucherRow {
  id: number;
  name: string;
  code: string;
  discount: number;
  discount_period: string;
  usage_counter: number;
  usage_limit: number | null;
  start_date: string;
  end_date: string | null;
}

function voucherTable(texts: Texts, rows: readonly VoucherRow[]): Html {
  const { t, number } = texts;
  const dayOf = (date: string | null) => (date === null ? '' : texts.date(Date.parse(date) / 1000));
  return table({
    title: t('console.sections.vouchers'),
    rows,
    empty: t('console.vouchers.none'),
    columns: [
      { title: t('console.fields.name'), cell: ({ id, name }) => html`<a href="/console/vouchers/${id}">${name}</a>` },
      { title: t('console.fields.code'), cell: ({ code }) => html`<code>${code}</code>` },
      { title: t('console.vouchers.discount'), cell: ({ discount }) => `${number(discount)} %`, isNumber: true },
      {
        title: t('console.vouchers.used'),
        cell: ({ usage_counter, usage_limit }) =>
          usage_limit === null ? number(usage_counter) : `${number(usage_counter)} / ${number(usage_limit)}`,
        isNumber: true,
      },
      { title: t('console.fields.from'), cell: ({ start_date }) => dayOf(start_date) },
      { title: t('console.fields.until'), cell: ({ end_date }) => dayOf(end_date) },
    ],
  });
}

const voucherFields = [
  ...['name', 'code', 'discount', 'rebill_discount', 'discount_period', 'discount_duration', 'start_date', 'end_date'],
  ...['usage_limit', 'prefix', 'length', 'suffix'],
];

type Stored = Tried & { rulesComplaint?: Complaint; find?: string | undefined };

/** A voucher's own page: its terms, and what it is good for. */
export async function storedVoucherPage(
  visit: Visit & { caller: Caller },
  id: string,
  { values, complaint, rulesComplaint, find, done }: Stored,
): Promise<Shown> {
  const texts = textsFor(visit);
  const { rules, ...voucher } = await visit.call(voucherEndpoints.getVoucher, { params: { id } });
  const dates = { start_date: timeValue(voucher.start_date), end_date: timeValue(voucher.end_date) };
  const below = await rulesPart(visit, texts, { id, rules, find, complaint: rulesComplaint });
  const isRefused = (complaint ?? rulesComplaint) !== undefined;
  return voucherPage(visit, {
    id,
    values: values ?? { ...voucher, ...dates },
    complaint,
    done,
    rules: below,
    isRefused,
  });
}

interface Filled extends Tried {
  id?: string;
  rules?: Html;
  /** What was tried with the rules was refused. */
  isRefused?: boolean;
}

function voucherPage(
  visit: Visit,
  { id, values = {}, complaint, done, rules, isRefused = complaint !== undefined }: Filled,
): Shown {
  const texts = textsFor(visit);
  const { t } = texts;
  const title = id === undefined ? t('console.vouchers.create') : t('console.vouchers.edit');
  const action = `/console/vouchers/${id ?? 'new'}`;
  const content = html`${complaints(texts, complaint, voucherFields)} ${fieldsOf(texts, values, complaint)}
  ${id === undefined && generatedFields(texts, values, complaint)}
  ${submit(id === undefined ? t('console.vouchers.create') : t('common.save'))}`;
  const place = {
    section: 'vouchers',
    title,
    back: { address: '/console/vouchers', text: t('console.sections.vouchers') },
    actions:
      id !== undefined &&
      asking(visit, {
        action: `${action}/delete`,
        label: t('console.delete'),
        question: t('console.vouchers.deleteQuestion'),
      }),
    done,
  } as const;
  return showInConsole(
    visit,
    place,
    html`<div class="card">${form(visit, { action, content })}</div>
      ${rules}`,
    isRefused ? { status: 422 } : {},
  );
}

/** How a code is made where none is chosen. */
function generatedFields(texts: Texts, values: Values, complaint: Complaint | undefined): Html {
  const { t } = texts;
  const known = filled(values, complaint);
  const isOpen = ['prefix', 'length', 'suffix'].some((name) => complaint?.fields[name] !== undefined);
  const parts = html`<div class="halves">
    ${field(texts, { ...known('prefix'), label: t('console.vouchers.prefix'), maxlength: 25 })}
    ${field(texts, { ...known('length'), label: t('console.vouchers.length'), hint: t('console.vouchers.lengthHint'), inputmode: 'numeric' })}
    ${field(texts, { ...known('suffix'), label: t('console.vouchers.suffix'), maxlength: 25 })}
  </div>`;
  return folded(t('console.vouchers.generated'), parts, isOpen);
}

function fieldsOf(texts: Texts, values: Record<string, unknown>, complaint: Complaint | undefined): Html {
  const { t } = texts;
  const known = (name: string) => {
    const value = values[name];
    return { name, value: typeof value === 'string' || typeof value === 'number' ? value : undefined, complaint };
  };
  const today = `${new Date().toISOString().slice(0, 10)}T00:00:00`;
  const lasting = ['once', 'repeating', 'forever'] as const;
  return html`<div class="halves">
      ${field(texts, { ...known('name'), label: t('console.fields.name'), isRequired: true })}
      ${field(texts, { ...known('code'), label: t('console.fields.code'), hint: t('console.vouchers.codeHint') })}
    </div>
    <div class="halves">
      ${field(texts, { ...known('discount'), label: t('console.vouchers.discountPercent'), inputmode: 'numeric', isRequired: true })}
      ${field(texts, { ...known('rebill_discount'), label: t('console.vouchers.rebillDiscount'), inputmode: 'numeric' })}
    </div>
    <div class="halves">
      ${select(texts, {
        ...known('discount_period'),
        label: t('console.vouchers.lasts'),
        choices: lasting.map((name) => [name, t(`console.vouchers.${name}`)] as const),
        isRequired: true,
      })}
      ${field(texts, { ...known('discount_duration'), value: known('discount_duration').value || undefined, label: t('console.vouchers.charges'), inputmode: 'numeric' })}
    </div>
    <div class="halves">
      ${timeField(texts, { ...known('start_date'), value: known('start_date').value ?? today, label: t('console.fields.from'), isRequired: true })}
      ${timeField(texts, { ...known('end_date'), label: t('console.fields.until') })}
      ${field(texts, { ...known('usage_limit'), label: t('console.vouchers.usageLimit'), inputmode: 'numeric' })}
    </div>`;
}
