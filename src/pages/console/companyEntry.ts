import { rememberedCompany } from '../../accounts/company/cookies';
import { findCompany } from '../../accounts/company/signIn';
import { html, type Html } from '../../kit/html';
import { type Visit } from '../../kit/pages/page';
import { named, type Texts } from '../layout/texts';

/** The sign-in to the console with the OpenID provider of a company. */

/**
 * The link to the provider of a company: the company in the address, or that of the last sign-in in this browser. The page
 * does not ask for an e-mail address, because its answer would reveal who works at which company.
 */
export async function companyWay(
  visit: Visit,
  texts: Texts,
  { company, next }: { company: string | undefined; next: string },
): Promise<Html> {
  const found = await findCompany(company ?? rememberedCompany(visit.request));
  if (!found) return html``;
  const query = next === '' ? '' : `?${new URLSearchParams({ next }).toString()}`;
  return html`<a class="button full" href="/accounts/company/${found.uuid}${query}"
      >${texts.t('console.company.signIn', { company: found.name })}</a
    >
    <p class="divider">${texts.t('paywall.or')}</p>`;
}

/** Why the last sign-in with a provider was refused. */
export function companyRefusal(texts: Texts, reason: string | undefined): Html {
  if (reason === undefined) return html``;
  const text = named(texts, 'company.refused', reason);
  const shown = text === reason ? texts.t('console.company.refused.answer_invalid') : text;
  return html`<p class="alert bad" role="alert" tabindex="-1" data-focus>${shown}</p>`;
}
