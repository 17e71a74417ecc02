import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { type PageResponse, type Visit } from '../../../kit/pages/page';
import { settingsEndpoints } from '../../../accounts/settings.endpoints';
import { providerAccountEndpoints } from '../../../subscriptions/provider/providerAccounts.endpoints';
import { type AnswerOf } from '../../layout/answers';
import { attempt, type Complaint } from '../../layout/explain';
import { checkbox, complaints, field, form, submit } from '../../layout/forms';
import { named, type Texts, textsFor } from '../../layout/texts';
import { formPage, type PageState, showPage } from '../crudPages';
import { switches } from '../fields';
import { confirmButton, refusedIf } from '../frame';
import { badge, facts, when } from '../lists';
import { connectCard, connectPlace, leadToStripe, paymentsAddress as address } from './connect';
import { chosenMethods, methodsAddress, methodsForm } from './methods';
import { showSettings } from './settings';

const place = { auth: merchant('settings:write'), path: address } as const;
const { getSettings, updateSettings } = settingsEndpoints;
const { connectPaymentProvider, deletePaymentProvider, getPaymentProvider, setPaymentProvider, testPaymentProvider } =
  providerAccountEndpoints;

const fields = ['publishable_key', 'secret_key', 'webhook_secret'] as const;

export const paymentPages = {
  showPaymentProvider: showPage({ ...place, summary: 'The payment account', show: paymentsPage }),
  savePaymentProvider: formPage({
    ...place,
    summary: 'Connects a Stripe account',
    work: ({ call, form: { publishable_key, secret_key, webhook_secret } }) => {
      const given = webhook_secret === '' ? {} : { webhook_secret };
      return call(setPaymentProvider, { body: { publishable_key, secret_key, ...given } });
    },
    again: paymentsPage,
    next: `${address}?done=saved`,
  }),
  openConnectedAccount: formPage({
    ...connectPlace,
    summary: 'Opens an account below the operator’s platform, or completes it',
    work: ({ call }) => call(connectPaymentProvider),
    again: paymentsPage,
    next: ({ url }, visit) => leadToStripe(visit, url),
  }),
  showConnectedAccount: showPage({
    ...place,
    path: `${address}/connected`,
    summary: 'The payment account after the return from Stripe',
    show: async (visit) => {
      const tried = await attempt(textsFor(visit), () => visit.call(testPaymentProvider));
      return paymentsPage(visit, 'done' in tried ? { isValid: tried.done.is_valid } : {});
    },
  }),
  savePaymentRules: formPage({
    ...place,
    path: `${address}/rules`,
    summary: 'Sets the handling of payments that are probably fraudulent',
    work: ({ call, form }) => call(updateSettings, { body: switches(form, ['refund_fraud_warnings']) }),
    again: paymentsPage,
    next: `${address}?done=saved`,
  }),
  savePaymentMethods: formPage({
    ...place,
    path: methodsAddress,
    summary: 'Sets how customers can pay',
    work: ({ call, form }) => call(updateSettings, { body: { payment_methods: chosenMethods(form) } }),
    again: (visit, state) => paymentsPage(visit, { ...state, isOfMethods: true }),
    next: `${address}?done=saved`,
  }),
  testPaymentProviderInConsole: formPage({
    ...place,
    path: `${address}/test`,
    summary: 'Tests the payment account',
    work: ({ call }) => call(testPaymentProvider),
    again: paymentsPage,
    next: ({ is_valid: isValid }, visit) => paymentsPage(visit, { isValid }),
  }),
  disconnectPaymentProvider: formPage({
    ...place,
    path: `${address}/delete`,
    summary: 'Disconnects a payment account',
    work: ({ call, form: { account } }) =>
      call(deletePaymentProvider, { query: account === undefined ? {} : { account } }),
    again: paymentsPage,
    next: `${address}?done=deleted`,
  }),
};

type Provider = AnswerOf<typeof getPaymentProvider>;

/** `isOfMethods`: the complaint is about the methods. `isValid`: the account was tested and has no problems. */
type State = PageState & { isValid?: boolean; isOfMethods?: boolean };

async function paymentsPage(
  visit: Visit,
  { complaint, values = {}, done, isValid, isOfMethods }: State,
): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const provider = await visit.call(getPaymentProvider);
  const valid = isValid ? html`<p class="alert good" role="status">${t('console.payments.valid')}</p>` : '';
  const whole = html`${valid} ${accountCard(visit, texts, provider)} ${connectCard(visit, texts, provider)}
  ${keysForm(visit, texts, { complaint: isOfMethods ? undefined : complaint, values, isSet: provider.kind === 'keys' })}
  ${former(visit, texts, provider)} ${await methodsForm(visit, texts, isOfMethods ? complaint : undefined)}
  ${await rulesForm(visit, texts)}`;
  return showSettings(visit, { tab: 'payments', done }, whole, refusedIf(complaint));
}

/** The current payment account and its problems. */
function accountCard(visit: Visit, texts: Texts, provider: Provider): Html {
  const { t } = texts;
  const { source, kind, account, mode, publishable_key, secret_key, notification_url, checked_at, problems } = provider;
  if (source !== 'own')
    return html`<section class="card stack">
      <h2>${t('console.payments.account')} ${badge(texts, source === 'none' ? 'not_configured' : source)}</h2>
      <p class="${source === 'none' ? 'alert bad' : 'quiet'}">${t(`console.payments.source_${source}`)}</p>
    </section>`;
  const keys: [string, string][] = [
    [t('console.payments.publishable_key'), publishable_key ?? ''],
    [t('console.payments.secret_key'), secret_key ?? ''],
    [t('console.payments.notifications'), notification_url ?? ''],
  ];
  const test = form(visit, {
    action: `${address}/test`,
    content: submit(t('console.payments.test'), { kind: 'slim' }),
  });
  return html`<section class="card stack">
    <div class="row spread">
      <h2>Stripe ${badge(texts, mode === 'live' ? 'live' : 'test')}</h2>
      <div class="row">${test} ${disconnect(visit, texts)}</div>
    </div>
    ${facts([
      [t('console.payments.account'), account ?? ''],
      ...(kind === 'keys' ? keys : []),
      [t('console.payments.checkedAt'), when(texts, checked_at ?? 0)],
    ])}
    ${problems.length === 0 ? '' : problemList(texts, problems)}
  </section>`;
}

function problemList(texts: Texts, problems: Provider['problems']): Html {
  const rows = problems.map(({ field: name, message }) => html`<li>${named(texts, 'payments', name)}: ${message}</li>`);
  return html`<div class="alert bad" role="alert">
    <p>${texts.t('console.payments.problems')}</p>
    <ul>
      ${rows}
    </ul>
  </div>`;
}

interface KeysForm {
  complaint: Complaint | undefined;
  values: Readonly<Record<string, unknown>>;
  /** Whether an account is connected. */
  isSet: boolean;
}

function keysForm(visit: Visit, texts: Texts, { complaint, values, isSet }: KeysForm): Html {
  const { t } = texts;
  const publishable = typeof values['publishable_key'] === 'string' ? values['publishable_key'] : undefined;
  const plain = { complaint, autocomplete: 'off', more: { spellcheck: 'false', dir: 'ltr' } } as const;
  const content = html`${complaints(texts, complaint, fields)}
  ${field(texts, { ...plain, name: 'publishable_key', value: publishable, label: t('console.payments.publishable_key'), placeholder: 'pk_…', isRequired: true })}
  ${field(texts, { ...plain, name: 'secret_key', type: 'password', label: t('console.payments.secret_key'), hint: t('console.payments.secretHint'), placeholder: 'sk_…', isRequired: true })}
  ${field(texts, { ...plain, name: 'webhook_secret', type: 'password', label: t('console.payments.webhook_secret'), hint: t('console.payments.webhookHint'), placeholder: 'whsec_…' })}
  ${submit(t('console.payments.connect'))}`;
  return html`<section class="card stack">
    <h2>${t(isSet ? 'console.payments.change' : 'console.payments.own')}</h2>
    <p class="quiet">${t(isSet ? 'console.payments.changeHint' : 'console.payments.ownHint')}</p>
    ${form(visit, { action: address, content })}
  </section>`;
}

async function rulesForm(visit: Visit, texts: Texts): Promise<Html> {
  const { t } = texts;
  const { refund_fraud_warnings: isChecked } = await visit.call(getSettings);
  const box = checkbox({ name: 'refund_fraud_warnings', label: t('console.payments.refundFraudWarnings'), isChecked });
  const content = html`${box} ${submit(t('common.save'))}`;
  return html`<section class="card stack">
    <h2>${t('console.payments.fraud')}</h2>
    <p class="quiet">${t('console.payments.fraudHint')}</p>
    ${form(visit, { action: `${address}/rules`, content })}
  </section>`;
}

function former(visit: Visit, texts: Texts, { former_accounts }: Provider): Html {
  if (former_accounts.length === 0) return html``;
  const { t } = texts;
  const rows = former_accounts.map(
    ({ account, mode }) =>
      html`<li class="row spread">
        <span>${account} ${badge(texts, mode)}</span> ${disconnect(visit, texts, account)}
      </li>`,
  );
  return html`<section class="card stack">
    <h2>${t('console.payments.former')}</h2>
    <p class="quiet">${t('console.payments.formerHint')}</p>
    <ul class="entries">
      ${rows}
    </ul>
  </section>`;
}

const disconnect = (visit: Visit, { t }: Texts, account?: string) =>
  confirmButton(visit, {
    action: `${address}/delete`,
    label: t('console.payments.disconnect'),
    question: t('console.payments.disconnectQuestion'),
    ...(account !== undefined && { fields: html`<input type="hidden" name="account" value="${account}" />` }),
  });
