import { z } from 'zod';
import { merchant, type Scope } from '../../kit/auth';
import { eachInParallel } from '../../kit/concurrency';
import { AppError } from '../../kit/errors';
import { html, type Html } from '../../kit/html';
import { asksForConfirmation } from '../../kit/pages/confirmation';
import { page, type Page, type PageResponse, Redirect } from '../../kit/pages/page';
import { type Complaint, explain } from '../layout/explain';
import { complaints, form, select, submit } from '../layout/forms';
import { type Choice } from '../layout/lists';
import { type Texts, textsFor } from '../layout/texts';
import { inConsole, type MerchantVisit, type SectionName, showInConsole } from './frame';
import { csvAddress, mayDo, mayDownload } from './lists';

/**
 * Actions on several rows of a list. The list has a checkbox for each row and a form with the action. A page asks for
 * confirmation, and another one tells what became of each row. Each row is a call of the endpoint for one row.
 */

interface Fields {
  complaint?: Complaint | undefined;
  values: Readonly<Record<string, unknown>>;
}

interface RowAction {
  name: 'cancel' | 'extend' | 'grant';
  /** The rights that the action needs besides those of the list. */
  scopes: readonly [Scope, ...Scope[]];
  isDangerous?: true;
  /** The fields that apply to all rows. */
  fields?: (visit: MerchantVisit, texts: Texts, state: Fields) => Promise<Html>;
  fieldNames?: readonly string[];
  work: (visit: MerchantVisit, row: string, sent: Readonly<Record<string, unknown>>) => Promise<unknown>;
}

export interface BulkList {
  name: 'subscriptions' | 'customers';
  scope: Scope;
  actions: readonly RowAction[];
  /** The rows of the merchant among the ids, as they are shown. */
  namesOf: (visit: MerchantVisit, ids: readonly string[]) => Promise<ReadonlyMap<string, Html>>;
}

const rowsMax = 100;
/** Rows that are read or changed at the same time. */
export const atOnce = 5;
const formId = 'chosen';

const addressOf = ({ name }: BulkList) => `/console/chosen/${name}`;
const listAddress = ({ name }: BulkList) => `/console/${name}`;

/** The checkbox of each row of the table. Undefined if the person has no right to an action. */
export function choiceOf<Row>(
  visit: MerchantVisit,
  { t }: Texts,
  list: BulkList,
  row: Pick<Choice<Row>, 'value' | 'name'>,
): Choice<Row> | undefined {
  if (actionsFor(visit, list).length === 0) return undefined;
  return { ...row, form: formId, title: t('console.chosen.select') };
}

/** The form below the table. */
export function bulkForm(visit: MerchantVisit, texts: Texts, list: BulkList, ids: readonly string[]): Html {
  const { t } = texts;
  const actions = actionsFor(visit, list);
  if (actions.length === 0 || ids.length === 0) return html``;
  const choices = actions.map((name) => [name, t(`console.chosen.actions.${name}`)] as const);
  return html`<form method="get" action="${addressOf(list)}" id="${formId}" class="card filters">
    <input type="hidden" name="page_rows" value="${ids.join(',')}" />
    <div class="check">
      <input type="checkbox" id="chosen-all" name="all" value="true" />
      <label for="chosen-all">${t('console.chosen.all', { count: ids.length })}</label>
    </div>
    ${select(texts, { name: 'action', label: t('console.chosen.action'), choices, isRequired: true })}
    ${submit(t('common.continue'), { kind: 'other' })}
  </form>`;
}

function actionsFor(visit: MerchantVisit, { actions }: BulkList): ('export' | RowAction['name'])[] {
  const allowed = actions.filter(({ scopes }) => scopes.every((scope) => mayDo(visit, scope)));
  return [...allowed.map(({ name }) => name), ...(mayDownload(visit) ? (['export'] as const) : [])];
}

const text = z.string().optional();
const Rows = z.array(z.string().max(64)).max(rowsMax).optional();
const ChoiceQuery = z.object({ rows: Rows, page_rows: text, all: text, action: text });
const OrderForm = z.object({ rows: Rows, action: text }).catchall(z.string());

/** The page that asks for confirmation, and the one that carries the action out. */
export function bulkPages(list: BulkList): { show: Page; carryOut: Page } {
  const place = { ...inConsole, auth: merchant(list.scope), path: addressOf(list) };
  return {
    show: page({
      ...place,
      method: 'get',
      summary: `Asks for the confirmation of an action on chosen ${list.name}`,
      query: ChoiceQuery,
      handler: async (visit): Promise<PageResponse | Redirect> => {
        const { query } = visit;
        const ids = chosenOf(query.all === undefined ? query.rows : query.page_rows?.split(','));
        if (ids.length === 0) return nonePage(visit, list);
        if (query.action === 'export') return new Redirect(csvAddress({ list: list.name, query: { ids } }));
        return confirmPage(visit, list, { action: actionOf(visit, list, query.action), ids, values: {} });
      },
    }),
    carryOut: page({
      ...place,
      method: 'post',
      summary: `Carries out an action on chosen ${list.name}`,
      form: OrderForm,
      handler: async (visit) => {
        const { rows, action: name, ...values } = visit.form;
        const ids = chosenOf(rows);
        if (ids.length === 0) return nonePage(visit, list);
        return carryOut(visit, list, { action: actionOf(visit, list, name), ids, values });
      },
    }),
  };
}

function chosenOf(rows: readonly string[] = []): string[] {
  const ids = [...new Set(rows.filter((id) => id !== ''))];
  if (ids.length > rowsMax)
    throw new AppError('invalid_input', { errors: { rows: `The rows must be at most ${rowsMax}.` } });
  return ids;
}

function actionOf(visit: MerchantVisit, { actions }: BulkList, name: string | undefined): RowAction {
  const action = actions.find((known) => known.name === name);
  if (!action) throw new AppError('not_found');
  if (!action.scopes.every((scope) => mayDo(visit, scope))) throw new AppError('forbidden');
  return action;
}

function placeOf({ t }: Texts, list: BulkList, title: string) {
  const section: SectionName = list.name;
  const back = { address: listAddress(list), text: t(`console.sections.${list.name}`) };
  return { section, title, back } as const;
}

function nonePage(visit: MerchantVisit, list: BulkList): PageResponse {
  const texts = textsFor(visit);
  const { t } = texts;
  const place = placeOf(texts, list, t('console.chosen.title'));
  return showInConsole(visit, place, html`<p class="alert">${t('console.chosen.none')}</p>`);
}

interface Order extends Fields {
  action: RowAction;
  ids: readonly string[];
}

async function confirmPage(visit: MerchantVisit, list: BulkList, order: Order): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const { action, ids, complaint } = order;
  const { name, isDangerous, fields, fieldNames = [] } = action;
  const names = await list.namesOf(visit, ids);
  const rows = ids.map((id) => html`<li>${names.get(id) ?? missing(texts, id)}</li>`);
  const content = html`${complaints(texts, complaint, fieldNames)}
    <p>${t(`console.chosen.questions.${name}`)}</p>
    ${fields && (await fields(visit, texts, order))}
    <input type="hidden" name="action" value="${name}" />
    ${ids.map((id) => html`<input type="hidden" name="rows[]" value="${id}" />`)}
    <p class="row">
      ${submit(t(`console.chosen.actions.${name}`), { kind: isDangerous ? 'danger' : 'main' })}
      <a class="button" href="${listAddress(list)}">${t('common.cancel')}</a>
    </p>`;
  const whole = html`<section class="card stack">
      <h2>${t('console.chosen.count', { count: ids.length })}</h2>
      ${form(visit, { action: addressOf(list), content })}
    </section>
    <ul class="card entries">
      ${rows}
    </ul>`;
  const place = placeOf(texts, list, t(`console.chosen.actions.${name}`));
  return showInConsole(visit, place, whole, complaint ? { status: 422 } : {});
}

const missing = ({ t }: Texts, id: string) =>
  html`<span><code>${id}</code> <span class="quiet small">${t('console.chosen.notFound')}</span></span>`;

/** The refusal of a row; undefined if the action was done. */
type Outcome = AppError | undefined;

async function carryOut(visit: MerchantVisit, list: BulkList, order: Order): Promise<PageResponse> {
  const { action, ids, values } = order;
  const outcomes = new Map<string, Outcome>();
  const run = async (id: string) => void outcomes.set(id, await outcomeOf(() => action.work(visit, id, values)));
  const [first = '', ...others] = ids;
  await run(first);
  // A wrong field is wrong for all rows.
  const refusal = outcomes.get(first);
  const complaint = refusal && explain(textsFor(visit), refusal);
  if (complaint && action.fieldNames?.some((name) => name in complaint.fields))
    return confirmPage(visit, list, { ...order, complaint });
  await eachInParallel(others, atOnce, run);
  return resultPage(visit, list, order, outcomes);
}

/** The work of each row is a transaction of its own, so a refused row leaves the others as they are. */
async function outcomeOf(work: () => Promise<unknown>): Promise<Outcome> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError) || asksForConfirmation(error)) throw error;
    return error;
  }
}

async function resultPage(
  visit: MerchantVisit,
  list: BulkList,
  { action, ids }: Order,
  outcomes: ReadonlyMap<string, Outcome>,
): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const names = await list.namesOf(visit, ids);
  const done = ids.filter((id) => outcomes.get(id) === undefined).length;
  const rows = ids.map(
    (id) =>
      html`<li>
        <div>${names.get(id) ?? html`<code>${id}</code>`}</div>
        ${stateOf(texts, outcomes.get(id))}
      </li>`,
  );
  const isWhole = done === ids.length;
  const told = isWhole ? t('console.chosen.allDone') : t('console.chosen.someDone', { done, total: ids.length });
  const whole = html`<p class="alert ${isWhole ? 'good' : 'warn'}" role="status">${told}</p>
    <ul class="card entries">
      ${rows}
    </ul>`;
  return showInConsole(visit, placeOf(texts, list, t(`console.chosen.actions.${action.name}`)), whole);
}

function stateOf(texts: Texts, refusal: Outcome): Html {
  const { t } = texts;
  if (!refusal) return html`<span class="badge good">${t('console.chosen.done')}</span>`;
  const isMissing = refusal.status === 404 || refusal.code === 'account_does_not_exist';
  const reason = isMissing ? t('console.chosen.notFound') : explain(texts, refusal).message;
  return html`<span class="refusal">${reason}</span>`;
}
