import { html, type Html, type Written } from '../../kit/html';
import { type Visit } from '../../kit/pages/page';
import { assetAddress } from '../layout/assets';
import { form } from '../layout/forms';
import { type Texts } from '../layout/texts';

/** Forms that `browser/passkeys.ts` completes. They are hidden in a browser that cannot use passkeys. */

interface PasskeyForm {
  action: string;
  target?: string | undefined;
  /** The field for the answer of the authenticator. */
  field: string;
  /** The options of the server, or the client for a sign-in, whose options the script requests. */
  with: { create: unknown } | { use: unknown } | { signIn: string };
  /** Further content of the form. */
  content?: Written;
  label: string;
}

export function passkeyForm(visit: Visit, { t }: Texts, passkey: PasskeyForm): Html {
  const [[kind, value] = ['', '']] = Object.entries(passkey.with);
  const options = typeof value === 'string' ? value : JSON.stringify(value);
  const content = html`${passkey.content}
    <input type="hidden" name="${passkey.field}" data-passkey="${kind}" data-options="${options}" />
    <p class="alert bad" role="alert" data-passkey-refused hidden>${t('passkeys.refused')}</p>
    <button type="submit" class="full">${passkey.label}</button>`;
  const { action, target } = passkey;
  return html`<div hidden data-passkey-part data-needs-script="${assetAddress('passkeys.js')}">
    ${form(visit, { action, ...(target !== undefined && { target }), content, name: `passkey-${kind}` })}
  </div>`;
}
