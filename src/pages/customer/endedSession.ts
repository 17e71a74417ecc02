import { html, type Html } from '../../kit/html';
import { type Visit } from '../../kit/pages/page';
import { type Texts } from '../layout/texts';

/** A form that is sent after the end of the session. The sign-in says why it is shown, and leads back to the form. */

/** The query of the sign-in. */
export const nextQuery = ({ returnTo, method }: Pick<Visit, 'returnTo' | 'method'>): Record<string, string> => ({
  ...(returnTo !== undefined && { next: returnTo }),
  ...(method === 'post' && { ended: 'true' }),
});

/** Why the sign-in is shown. The script of the page keeps what was typed into the form until the form is shown again. */
export const endedNotice = ({ t }: Texts, ended: string | undefined): Html | false =>
  ended === 'true' && html`<p class="alert warn" role="status" data-keep>${t('errors.invalid_auth_token')}</p>`;
