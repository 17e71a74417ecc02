import { callbackOf } from '../../../accounts/company/addresses';
import { companyEndpoints } from '../../../accounts/company/company.endpoints';
import { AppError } from '../../../kit/errors';
import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { type PageResponse } from '../../../kit/pages/page';
import { copyable } from '../../layout/copyable';
import { type AnswerOf } from '../../layout/answers';
import { checkbox, complaints, field, form, submit } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { formPage, type PageState, showPage } from '../crudPages';
import { filled, isOn, words } from '../fields';
import { confirmButton, type MerchantVisit, refusedIf, showInConsole } from '../frame';
import { badge, given } from '../lists';

/** The OpenID provider with which the staff signs in. */

const path = '/console/team/company';
const auth = merchant('apps:write');
const { getCompanyProvider, setCompanyProvider, deleteCompanyProvider, testCompanyProvider } = companyEndpoints;
const fields = ['issuer', 'client_id', 'client_secret', 'domains'];

export const companyPages = {
  showCompanyProvider: showPage({ auth, path, summary: 'The OpenID provider of the staff', show: companyPage }),
  saveCompanyProvider: formPage({
    auth,
    path,
    summary: 'Connects or changes the OpenID provider of the staff',
    work: ({ call, form: { issuer, client_id, client_secret, domains, is_active } }) =>
      call(setCompanyProvider, {
        body: {
          ...{ issuer, client_id, domains: words(domains), is_active: String(isOn(is_active)) },
          ...given({ client_secret }),
        },
      }),
    again: companyPage,
    next: `${path}?done=saved`,
  }),
  testCompanyProviderInConsole: formPage({
    auth,
    path: `${path}/test`,
    summary: 'Tests the settings of the OpenID provider',
    work: ({ call }) => call(testCompanyProvider),
    next: (outcome, visit) => companyPage(visit, { outcome }),
  }),
  disconnectCompanyProvider: formPage({
    auth,
    path: `${path}/delete`,
    summary: 'Disconnects the OpenID provider of the staff',
    work: ({ call }) => call(deleteCompanyProvider),
    next: `${path}?done=deleted`,
  }),
};

type Provider = AnswerOf<typeof getCompanyProvider>;
type Outcome = AnswerOf<typeof testCompanyProvider>;

async function companyPage(
  visit: MerchantVisit,
  { complaint, values = {}, done, outcome }: PageState & { outcome?: Outcome },
): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const provider = await findProvider(visit);
  const stored = provider && { ...provider, domains: provider.domains.join(', ') };
  const known = filled({ ...stored, ...values }, complaint);
  const ofSecret = { ...known('client_secret'), value: undefined, type: 'password', autocomplete: 'off' } as const;
  const content = html`${complaints(texts, complaint, fields)}
  ${field(texts, { ...known('issuer'), type: 'url', label: t('console.company.issuer'), hint: t('console.company.issuerHint'), isRequired: true })}
  ${field(texts, { ...known('client_id'), label: t('console.company.clientId'), isRequired: true })}
  ${field(texts, { ...ofSecret, label: t('console.company.secret'), hint: t(provider ? 'console.company.secretKept' : 'console.company.secretHint'), isRequired: !provider })}
  ${field(texts, { ...known('domains'), label: t('console.company.domains'), hint: t('console.company.domainsHint'), isRequired: true })}
  ${checkbox({ name: 'is_active', label: t('console.company.isActive'), isChecked: isOn(values['is_active'] ?? provider?.is_active ?? true) })}
  ${submit(t(provider ? 'common.save' : 'console.company.connect'))}`;
  const whole = html`<p class="quiet">${t('console.company.hint')}</p>
    ${provider ? providerCard(visit, texts, provider, outcome) : ''}
    <section class="card stack">
      <h2>${t('console.company.settings')}</h2>
      <p>
        ${t('console.company.redirect')}
        ${copyable(texts, { value: callbackOf(visit.caller.merchantUuid).href, name: t('console.company.redirectName') })}
      </p>
      ${form(visit, { action: path, content, name: 'company' })}
    </section>`;
  const back = { address: '/console/team', text: t('console.team.title') };
  const frame = { section: 'team', title: t('console.company.title'), done, back } as const;
  return showInConsole(visit, frame, whole, refusedIf(complaint));
}

/** The state of the provider, its test, and the address at which the staff signs in. */
function providerCard(visit: MerchantVisit, texts: Texts, provider: Provider, outcome: Outcome | undefined): Html {
  const { t } = texts;
  return html`<section class="card stack">
    <div class="row spread">
      <h2>${t('console.company.state')}</h2>
      ${badge(texts, provider.is_active ? 'on' : 'off')}
    </div>
    ${outcome && outcomeOf(texts, outcome)}
    <p>${t('console.company.address')} <a href="${provider.sign_in_url}">${provider.sign_in_url}</a></p>
    <div class="row">
      ${form(visit, { action: `${path}/test`, content: submit(t('console.company.test'), { kind: 'slim' }), name: 'test' })}
      ${confirmButton(visit, { action: `${path}/delete`, label: t('console.company.disconnect'), question: t('console.company.disconnectQuestion') })}
    </div>
  </section>`;
}

const labels = { issuer: 'issuer', client_id: 'clientId', client_secret: 'secret' } as const;

function outcomeOf({ t }: Texts, { is_valid, problems }: Outcome): Html {
  if (is_valid) return html`<p class="alert good" role="status">${t('console.company.valid')}</p>`;
  const list = problems.map(
    ({ field: name, problem }) =>
      html`<li>${t(`console.company.${labels[name]}`)}: ${t(`console.company.problems.${problem}`)}</li>`,
  );
  return html`<div class="alert bad" role="alert" tabindex="-1" data-focus>
    <p>${t('console.company.invalid')}</p>
    <ul>
      ${list}
    </ul>
  </div>`;
}

async function findProvider({ call }: MerchantVisit): Promise<Provider | undefined> {
  return call(getCompanyProvider).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'company_provider_not_found') return undefined;
    throw error;
  });
}
