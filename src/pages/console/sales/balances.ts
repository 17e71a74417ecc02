import { namesOf } from '../../../accounts/registeredUsers';
import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { type PageResponse } from '../../../kit/pages/page';
import { balanceEndpoints } from '../../../subscriptions/balances/movements.endpoints';
import { type RowOf } from '../../layout/answers';
import { complaints, field, submit } from '../../layout/forms';
import { named, type Texts, textsFor } from '../../layout/texts';
import { crudPages, type PageState, type VisitWith } from '../crudPages';
import { filled } from '../fields';
import { folded, formCard, refusedIf, showInConsole } from '../frame';
import { emptyCard } from '../../layout/lists';
import { type Column, fileOf, given, mayDo, pager, table, when } from '../lists';

const address = '/console/customers/{id}/balances';
const pages = crudPages({
  address,
  auth: merchant('payments:read'),
  writing: merchant('payments:write'),
  list: balancesPage,
});
const { adjustBalance, listBalanceMovements, listCustomerBalances } = balanceEndpoints;

/** The balances of a customer, their movements, and adjustments by the merchant. */
export const balancePages = {
  showBalances: pages.list('Balances of a customer, with each movement'),
  adjustBalanceInConsole: pages.create(
    'Adjusts the balance of a customer',
    ({ callOnce, params, form: body }) => callOnce(adjustBalance, { params, body }),
    { next: '/console/customers/{id}?done=changed' },
  ),
};

type BalanceVisit = VisitWith<'id'>;

async function balancesPage(visit: BalanceVisit, state: PageState): Promise<PageResponse> {
  const { complaint, page, done } = state;
  const texts = textsFor(visit);
  const { id } = visit.params;
  const balances = await readBalances(visit);
  const customer = (await namesOf(visit.caller, [Number(id)])).get(Number(id));
  const found = await visit.call(listBalanceMovements, { params: { id }, query: given({ page }) });
  const place = {
    section: 'customers',
    title: texts.t('console.balances.title'),
    back: { address: `/console/customers/${id}`, text: customer?.name ?? id },
    done,
  } as const;
  const content = html`${balanceText(texts, balances)}
  ${mayDo(visit, 'payments:write') && formCard(visit, addressOf(id), adjustment(texts, balances, state), texts.t('console.balances.adjust'))}
  ${await movementTable(visit, texts, found.collection)} ${pager(visit, texts, found, fileOfAll(id))}`;
  return showInConsole(visit, place, content, refusedIf(complaint));
}

const latestMax = 5;

/** The card on the customer's page, with the balances and the latest movements. */
export async function balanceSection(visit: BalanceVisit, texts: Texts): Promise<Html> {
  const { t } = texts;
  const { id } = visit.params;
  const balances = await readBalances(visit);
  const query = { limit: latestMax };
  const found = await visit.call(listBalanceMovements, { params: { id }, query });
  const hasMore = found.total > found.collection.length;
  const form = formCard(visit, addressOf(id), adjustment(texts, balances, {}));
  return html`<section class="stack">
    <h2>${t('console.balances.title')}</h2>
    ${balanceText(texts, balances)} ${found.total > 0 && (await movementTable(visit, texts, found.collection))}
    ${fileOf(visit, texts, found.collection, fileOfAll(id))}
    ${hasMore && html`<p class="end small"><a href="${addressOf(id)}">${t('console.balances.all')}</a></p>`}
    ${mayDo(visit, 'payments:write') && folded(t('console.balances.adjust'), form, false)}
  </section>`;
}

const fileOfAll = (id: string) => ({ list: 'balance-movements', query: { account_id: id } }) as const;
const addressOf = (id: string) => address.replace('{id}', id);

type Balance = RowOf<typeof listCustomerBalances>;

async function readBalances(visit: BalanceVisit): Promise<Balance[]> {
  const { id } = visit.params;
  return (await visit.call(listCustomerBalances, { params: { id } })).collection;
}

/** One sentence for each balance. */
function balanceText({ t, money }: Texts, balances: readonly Balance[]): Html {
  const shown = balances.filter(({ balance }) => balance !== 0);
  if (shown.length === 0) return emptyCard(t('console.balances.none'));
  const lines = shown.map(({ balance, currency }) => {
    const amount = money(Math.abs(balance), currency);
    return html`<p>${t(`console.balances.${balance > 0 ? 'credit' : 'debt'}`, { amount })}</p>`;
  });
  return html`<div class="card tight">${lines}</div>`;
}

type Movement = RowOf<typeof listBalanceMovements>;

async function movementTable(visit: BalanceVisit, texts: Texts, rows: readonly Movement[]): Promise<Html> {
  const { t, money } = texts;
  const actors = rows.flatMap(({ actor_account_id: actor }) => (actor === null ? [] : [actor]));
  const names = await namesOf(visit.caller, actors);
  const columns: Column<Movement>[] = [
    { title: t('console.fields.when'), cell: ({ created_at }) => when(texts, created_at) },
    { title: t('console.balances.reason'), cell: ({ reason }) => named(texts, 'balances.reasons', reason) },
    { title: t('console.balances.note'), cell: ({ note }) => note !== '' && html`<bdi>${note}</bdi>` },
    { title: t('console.balances.purchase'), cell: purchaseLink },
    {
      title: t('console.balances.by'),
      cell: ({ actor_account_id: actor }) => (actor === null ? '' : (names.get(actor)?.name ?? String(actor))),
    },
    { title: t('console.fields.amount'), cell: ({ amount, currency }) => money(amount, currency), isNumber: true },
  ];
  return table({ title: t('console.balances.movements'), columns, rows, empty: t('console.balances.noMovements') });
}

function purchaseLink({ transaction_token: token, trx_token: charge }: Movement): Html | string {
  if (!token.startsWith('S-')) return charge || token;
  return html`<a href="/console/subscriptions/${token}">${charge || token}</a>`;
}

function adjustment(texts: Texts, balances: readonly Balance[], { values, complaint }: PageState): Html {
  const { t } = texts;
  const known = filled({ currency: balances[0]?.currency, ...values }, complaint);
  const labels = {
    amount: t('console.fields.amount'),
    currency: t('console.fields.currency'),
    note: t('console.balances.note'),
  };
  return html`${complaints(texts, complaint, labels)}
    <div class="halves">
      ${field(texts, {
        ...known('amount'),
        label: labels.amount,
        hint: t('console.balances.amountHint'),
        isRequired: true,
      })}
      ${field(texts, { ...known('currency'), label: labels.currency, maxlength: 3, placeholder: 'EUR', isRequired: true })}
    </div>
    ${field(texts, {
      ...known('note'),
      label: labels.note,
      hint: t('console.balances.noteHint'),
      maxlength: 500,
      isRequired: true,
    })}
    ${submit(t('console.balances.adjust'))}`;
}
