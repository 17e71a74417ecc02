import { accountEndpoints } from '../../accounts/accounts.endpoints';
import { passwordResetEndpoints } from '../../accounts/signIn/passwordReset.endpoints';
import { signInLinkEndpoints } from '../../accounts/signIn/signInLinks.endpoints';
import { socialEndpoints } from '../../accounts/signIn/social.endpoints';
import { AppError } from '../../kit/errors';
import { html, type Html, type Written } from '../../kit/html';
import { type PageResponseOptions, type Visit } from '../../kit/pages/page';
import { attempt, type Complaint } from '../layout/explain';
import { complaints, field, form, submit } from '../layout/forms';
import { type Texts } from '../layout/texts';
import { enterByPasskey, passkeySignIn } from './passkeys';
import { codeCard, type SecondStep } from './secondFactor';
import { type Fields } from './registerFields';

/** The sign-in of a merchant's customers, by password or social provider, and the forgotten password. */

export interface CustomerVisit {
  visit: Visit;
  texts: Texts;
  place: { merchant_uuid: string };
}

export interface Entry {
  /** The URL of the form. */
  action: string;
  /** The id of the element that the response replaces. */
  target: string;
  values?: Fields | undefined;
  complaint?: Complaint | undefined;
}

interface SignInEntry extends Entry {
  /** The path to which a social sign-in returns. */
  comeBackTo: string;
  /** Links to the other ways to sign in. */
  others: Html;
  /** Hidden fields of the form. */
  kept?: Written;
  /** Set if the password was right and the code of the second factor is missing. */
  step?: SecondStep | undefined;
}

export async function signInCard(
  at: CustomerVisit,
  { action, target, values = {}, complaint, step, ...entry }: SignInEntry,
): Promise<Html> {
  const { texts, visit } = at;
  if (step) return codeCard(visit, texts, { ...step, action, target, kept: entry.kept });
  const { t } = texts;
  const common = { complaint, isRequired: true } as const;
  const labels = { username: t('common.email'), password: t('common.password') };
  const content = html`${complaints(texts, complaint, labels)} ${entry.kept}
  ${field(texts, { ...common, name: 'username', label: t('common.email'), type: 'email', value: values['username'], autocomplete: 'username webauthn' })}
  ${field(texts, { ...common, name: 'password', label: t('common.password'), type: 'password', autocomplete: 'current-password' })}
  ${submit(t('common.signIn'), { isFull: true })}`;
  return html`<section class="card stack">
    <h2 tabindex="-1" ${complaint ? '' : html`data-focus`}>${t('common.signIn')}</h2>
    ${await socialButtons(at, entry.comeBackTo)} ${form(visit, { action, target, content, name: 'sign-in' })}
    ${passkeySignIn(visit, texts, { action, target, clientId: at.place.merchant_uuid, kept: html`${entry.kept}` })}
    <p class="centred small">${entry.others}</p>
  </section>`;
}

/**
 * The links that a customer can receive by mail: to a new password, or to a sign-in without a password. These are also
 * the names of the steps.
 */
export type MailedLink = 'forgotten' | 'sign-in-link';

const linkTexts = {
  forgotten: { title: 'paywall.forgotten', hint: 'paywall.forgottenHint' },
  'sign-in-link': { title: 'paywall.signInLink', hint: 'paywall.signInLinkHint' },
} as const;

export const linkTitle = ({ t }: Texts, link: MailedLink) => t(linkTexts[link].title);

interface LinkEntry extends Entry {
  link: MailedLink;
  kept?: Written;
  isSent?: boolean;
}

/**
 * The form that mails a link. The response is the same for every address, so that it does not reveal who is registered.
 */
export function mailedLinkCard({ texts, visit }: CustomerVisit, entry: LinkEntry): Html {
  const { t } = texts;
  const { link, kept, action, target, values = {}, complaint, isSent = false } = entry;
  const content = html`${kept} ${complaints(texts, complaint, { email: t('common.email') })}
  ${field(texts, { name: 'email', label: t('common.email'), type: 'email', value: values['email'], autocomplete: 'username', isRequired: true, complaint })}
  ${submit(t('paywall.mailLink'), { isFull: true })}`;
  const formContent = html`<p class="quiet">${t(linkTexts[link].hint)}</p>
    ${form(visit, { action, target, content, name: link })}`;
  const done = html`<p class="alert good" role="status">${t('paywall.forgottenSent')}</p>`;
  return html`<section class="card stack">
    <h2 tabindex="-1" ${complaint ? '' : html`data-focus`}>${linkTitle(texts, link)}</h2>
    ${isSent ? done : formContent}
  </section>`;
}

/** The fields of a sign-in: address and password, the second step, or a passkey. */
const passwordFields = ['username', 'password', 'second_factor_challenge', 'second_factor_code'] as const;
export const signInFields = [...passwordFields, 'passkey'] as const;

export function authenticate({ visit, texts, place }: CustomerVisit, fields: Fields) {
  const passkey = fields['passkey'];
  if (typeof passkey === 'string' && passkey !== '') return enterByPasskey(visit, texts, place.merchant_uuid, passkey);
  const sent = Object.fromEntries(passwordFields.map((name) => [name, fields[name]]));
  const body = { ...sent, grant_type: 'password', client_id: place.merchant_uuid };
  return attempt(texts, () => visit.call(accountEndpoints.authenticate, { body }));
}

/** Mails a link. `next`: the path to which a sign-in link leads. */
export function mailLink(
  { visit, texts, place }: CustomerVisit,
  { link, email, next }: { link: MailedLink; email: string | undefined; next: string },
) {
  const body = { merchant_uuid: place.merchant_uuid, email };
  return attempt(texts, () =>
    link === 'forgotten'
      ? visit.call(passwordResetEndpoints.forgotPassword, { body })
      : visit.call(signInLinkEndpoints.sendSignInLink, { body: { ...body, next } }),
  );
}

/** Signs in with the token of a mailed link. */
export function authenticateByLink({ visit, texts, place }: CustomerVisit, token: string) {
  const body = { client_id: place.merchant_uuid };
  return attempt(texts, () => visit.call(signInLinkEndpoints.signInByLink, { params: { token }, body }));
}

/** The result of a sign-in, by password or social provider. */
export interface Authentication {
  access_token: string;
  expires: number;
}

/** The signed-in visit and its session cookie. Throws `forbidden` for a customer of another merchant. */
export async function openSession(
  { visit, place }: CustomerVisit,
  { access_token: token, expires: expiresAtSeconds }: Authentication,
): Promise<{ own: Visit; options: Pick<PageResponseOptions, 'signIn'> }> {
  const own = await visit.signedIn(token);
  if (own.caller?.merchantUuid !== place.merchant_uuid) throw new AppError('forbidden');
  return { own, options: { signIn: { token, expiresAtSeconds } } };
}

/**
 * The reason why a sign-in at another service failed. `reason` is a query parameter of the address to which that
 * sign-in returns.
 */
export function socialRefusal({ texts: { t } }: Pick<CustomerVisit, 'texts'>, reason: string | undefined): Html {
  if (reason === undefined) return html``;
  const reasons = new Map([
    ['access_denied', t('paywall.socialDenied')],
    ['account_exists', t('errors.account_exists')],
    ['email_required', t('paywall.socialNoEmail')],
    ['second_factor_required', t('errors.second_factor_required')],
  ]);
  const text = reasons.get(reason) ?? t('paywall.socialFailed');
  return html`<p class="alert bad" role="alert" tabindex="-1" data-focus>${text}</p>`;
}

/** Empty if the merchant has turned social sign-in off, or no provider is configured. */
export async function socialButtons({ visit, texts, place }: CustomerVisit, comeBackTo: string): Promise<Html> {
  const redirect = `${visit.origin}${comeBackTo}`;
  const state = Buffer.from(JSON.stringify({ client_id: place.merchant_uuid, redirect })).toString('base64url');
  const outcome = await attempt(texts, () => visit.call(socialEndpoints.listSocialLinks, { query: { state } }));
  const links = 'done' in outcome ? outcome.done.social_urls.flatMap((link) => Object.entries(link)) : [];
  if (links.length === 0) return html``;
  const buttons = links.map(
    ([provider, url]) =>
      html`<a class="button full" href="${url}" ${visit.isEmbedded ? html`target="_blank"` : ''}>
        ${texts.t('paywall.continueWith', { provider: provider.charAt(0).toUpperCase() + provider.slice(1) })}
      </a>`,
  );
  return html`<div class="tight">${buttons}</div>
    <p class="divider">${texts.t('paywall.or')}</p>`;
}
