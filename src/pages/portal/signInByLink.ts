import { html, type Html } from '../../kit/html';
import { form, submit } from '../layout/forms';
import { facts } from '../layout/lists';
import { addressIn, pageId, type Portal } from './frame';

/** The page behind a mailed link to sign in. */

export interface SignInByLink {
  token: string;
  /** The address of the account; undefined if the link does not work any more. */
  email: string | undefined;
  next?: string | undefined;
}

/**
 * A button signs the customer in, so that a mail scanner that follows the link does not use it. The page shows the address
 * of the account, so that visitors notice a link that was mailed to somebody else.
 */
export function signInByLinkCard(portal: Portal, { token, email, next = '' }: SignInByLink): Html {
  const { t } = portal.texts;
  const action = addressIn(portal, `sign-in/${encodeURIComponent(token)}`);
  const hiddenNext = html`<input type="hidden" name="next" value="${next}" />`;
  const ready = html`<p>${t('paywall.signInLinkReady')}</p>
    ${facts([[t('common.email'), html`<bdi>${email}</bdi>`]])}
    ${form(portal.visit, { action, target: pageId, content: html`${hiddenNext} ${submit(t('common.signIn'), { isFull: true })}`, name: 'sign-in-by-link' })}`;
  const expired = html`<p>${t('paywall.signInLinkExpired')}</p>
    <p>
      <a class="button main full" href="${addressIn(portal, 'sign-in-link', next === '' ? {} : { next })}"
        >${t('links.askAgain')}</a
      >
    </p>`;
  return html`<section class="card stack">
    <h2 tabindex="-1" data-focus>${t('common.signIn')}</h2>
    ${email === undefined ? expired : ready}
  </section>`;
}
