import { z } from 'zod';
import { html, type Html } from '../../kit/html';
import { page, Redirect, type PageResponse, type Visit } from '../../kit/pages/page';
import { operatorEndpoints } from '../../operator/operator.endpoints';
import { type AnswerOf } from '../layout/answers';
import { attempt, type Complaint } from '../layout/explain';
import { confirmButton, complaints, field, select, submit } from '../layout/forms';
import { breakable, facts, pager, table, when } from '../layout/lists';
import { textsFor, type Texts } from '../layout/texts';
import { inOperator, operatorPath, showInOperator } from './frame';

const text = z.string().optional();
const MerchantPath = z.object({ id: z.string() });
const merchantPath = '/operator/shops/{id}';
type Merchant = AnswerOf<typeof operatorEndpoints.getMerchant>;
const states = ['waiting', 'open', 'suspended'] as const;
const badges = { waiting: 'warn', open: 'good', suspended: 'bad' } as const;

export const operatorMerchantPages = {
  showMerchants: page({
    ...inOperator,
    method: 'get',
    path: operatorPath,
    summary: 'The merchants of the installation',
    query: z.object({ page: text, search: text, state: text }),
    handler: (visit) => merchantsPage(visit),
  }),
  showMerchant: page({
    ...inOperator,
    method: 'get',
    path: merchantPath,
    summary: 'One merchant with the operator’s actions',
    params: MerchantPath,
    query: z.object({ done: text }),
    handler: (visit) => merchantPage(visit, { done: visit.query.done }),
  }),
  approveMerchantByForm: page({
    ...inOperator,
    method: 'post',
    path: `${merchantPath}/approve`,
    summary: 'Approves a merchant',
    params: MerchantPath,
    handler: (visit) =>
      carryOut(visit, () => visit.callOnce(operatorEndpoints.approveMerchant, { params: visit.params }), 'approved'),
  }),
  suspendMerchantByForm: page({
    ...inOperator,
    method: 'post',
    path: `${merchantPath}/suspend`,
    summary: 'Suspends a merchant',
    params: MerchantPath,
    form: z.object({ reason: text }),
    handler: (visit) => {
      const sent = { params: visit.params, body: { reason: visit.form.reason } };
      return carryOut(visit, () => visit.callOnce(operatorEndpoints.suspendMerchant, sent), 'suspended');
    },
  }),
  resumeMerchantByForm: page({
    ...inOperator,
    method: 'post',
    path: `${merchantPath}/resume`,
    summary: 'Ends the suspension of a merchant',
    params: MerchantPath,
    handler: (visit) =>
      carryOut(visit, () => visit.callOnce(operatorEndpoints.resumeMerchant, { params: visit.params }), 'resumed'),
  }),
};

type ListVisit = Visit & {
  query: { page?: string | undefined; search?: string | undefined; state?: string | undefined };
};
type MerchantVisit = Visit & { params: { id: string } };

async function carryOut(visit: MerchantVisit, decision: () => Promise<unknown>, done: string) {
  const outcome = await attempt(textsFor(visit), decision);
  if ('done' in outcome) return new Redirect(`/operator/shops/${visit.params.id}?done=${done}`);
  if (outcome.error.status === 403 || outcome.error.status === 404) throw outcome.error;
  return merchantPage(visit, { complaint: outcome.refused });
}

async function merchantsPage(visit: ListVisit): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const { page: at, search = '', state = '' } = visit.query;
  const query = Object.fromEntries(Object.entries({ page: at, search, state }).filter(([, value]) => value));
  const found = await visit.call(operatorEndpoints.listMerchants, { query });
  const choices = [
    ['', t('console.all')] as const,
    ...states.map((one) => [one, t(`operator.states.${one}`)] as const),
  ];
  const filter = html`<form method="get" action="${operatorPath}" class="card filters" role="search">
    ${field(texts, { name: 'search', type: 'search', label: t('operator.searchHint'), value: search, isFilter: true })}
    ${select(texts, { name: 'state', label: t('operator.state'), value: state, choices, isFilter: true })}
    ${submit(t('common.search'), { kind: 'other' })}
  </form>`;
  const list = table({
    title: t('operator.sections.merchants'),
    rows: found.collection,
    empty: t('operator.noMerchants'),
    columns: [
      {
        title: t('common.fullName'),
        cell: ({ id, name }) => html`<a href="/operator/shops/${id}">${breakable(name)}</a>`,
      },
      { title: t('common.email'), cell: ({ email }) => breakable(email) },
      { title: t('operator.state'), cell: (row) => badge(texts, row) },
      { title: t('operator.customers'), cell: ({ customers }) => customers, isNumber: true },
      { title: t('operator.since'), cell: ({ created_at }) => when(texts, created_at) },
    ],
  });
  const place = { section: 'merchants', title: t('operator.sections.merchants') } as const;
  return showInOperator(visit, place, html`${filter} ${list} ${pager(visit, texts, found)}`);
}

const badge = ({ t }: Texts, { state }: Merchant) =>
  html`<span class="badge ${badges[state]}">${t(`operator.states.${state}`)}</span>`;

async function merchantPage(
  visit: MerchantVisit,
  { complaint, done }: { complaint?: Complaint; done?: string | undefined },
): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const merchant = await visit.call(operatorEndpoints.getMerchant, { params: visit.params });
  // A merchant that another operator has suspended meanwhile has no form for the reason.
  const labels: Record<string, string> = merchant.state === 'suspended' ? {} : { reason: t('operator.reason') };
  const content = html`${complaint && complaints(texts, complaint, labels)}
    <section class="card stack">
      ${facts([
        [t('operator.state'), badge(texts, merchant)],
        [t('common.email'), breakable(merchant.email)],
        [t('operator.customers'), merchant.customers],
        [t('operator.since'), when(texts, merchant.created_at)],
        [t('operator.mailBudget'), budgetText(texts, merchant)],
        ...(merchant.reason === null ? [] : [[t('operator.reason'), html`<bdi>${merchant.reason}</bdi>`] as const]),
        ...(merchant.master_id === null ? [] : [[t('operator.master'), masterLink(merchant.master_id)] as const]),
      ])}
    </section>
    <div class="actions">${actions(visit, texts, merchant, complaint)}</div>`;
  const back = { address: operatorPath, text: t('operator.sections.merchants') };
  const place = { section: 'merchants', title: merchant.name, back, done } as const;
  return showInOperator(visit, place, content, complaint ? { status: 422 } : {});
}

function budgetText({ t, number }: Texts, { mail_budget: budget }: Merchant): string {
  const { limit, used, security_used: security, waiting } = budget;
  const shown = { limit: number(limit), used: number(used), security: number(security), waiting: number(waiting) };
  const text = t('operator.mailBudgetUse', shown);
  return budget.is_in_good_standing
    ? text
    : `${text} ${t('operator.mailsRefused', { refused: number(budget.refused) })}`;
}

const masterLink = (id: number) => html`<a href="/operator/shops/${id}">${id}</a>`;

function actions(visit: Visit, texts: Texts, { id, state }: Merchant, complaint: Complaint | undefined): Html {
  const { t } = texts;
  const ask = (decision: 'approve' | 'suspend' | 'resume', fields?: Html) =>
    confirmButton(visit, {
      label: t(`operator.${decision}`),
      question: t(`operator.${decision}Question`),
      action: `/operator/shops/${id}/${decision}`,
      isDangerous: decision === 'suspend',
      name: decision,
      isOpen: decision === 'suspend' && complaint !== undefined,
      ...(fields && { fields }),
    });
  if (state === 'suspended') return ask('resume');
  const reason = field(texts, {
    name: 'reason',
    label: t('operator.reason'),
    hint: t('operator.reasonHint'),
    isRequired: true,
    complaint,
    more: { maxlength: '500' },
  });
  return html`${state === 'waiting' && ask('approve')} ${ask('suspend', reason)}`;
}
