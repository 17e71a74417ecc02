import { html, type Html } from '../../kit/html';
import { breakable } from './lists';
import { type Texts } from './texts';

/** The address of the person who is signed in, for the banner. */
export function accountLine({ t }: Texts, email: string): Html {
  return html`<p class="small who">
    <span class="visually-hidden">${t('paywall.signedInAs')}</span> <bdi>${breakable(email)}</bdi>
  </p>`;
}
