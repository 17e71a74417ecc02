/**
 * Passkeys (WebAuthn) in forms. The script puts the answer of the authenticator into the hidden field of the form, and sends
 * the form. `customer/passkeyForm.ts` writes the forms.
 */
{
  interface Json {
    toJSON(): unknown;
  }
  interface Parser {
    parseCreationOptionsFromJSON(options: unknown): PublicKeyCredentialCreationOptions;
    parseRequestOptionsFromJSON(options: unknown): PublicKeyCredentialRequestOptions;
    isConditionalMediationAvailable?(): Promise<boolean>;
  }
  const parser = (window as unknown as { PublicKeyCredential?: Partial<Parser> }).PublicKeyCredential;
  // A frame of another page may not use passkeys.
  const isUsable = parser?.parseRequestOptionsFromJSON !== undefined && window.parent === window;
  const passkeys = parser as Parser;

  /** The question that waits in the menu of the address field, and ends before another one begins. */
  let waiting: AbortController | undefined;

  const fieldIn = (root: ParentNode) => root.querySelector<HTMLInputElement>('input[data-passkey]');

  async function optionsOf({ dataset }: HTMLInputElement): Promise<unknown> {
    const { passkey, options = '' } = dataset;
    if (passkey !== 'signIn') return JSON.parse(options);
    const answer = await fetch('/accounts/passkeys/sign-in/options', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ client_id: options }),
    });
    if (!answer.ok) throw new Error('refused');
    return answer.json();
  }

  async function askAuthenticator(
    field: HTMLInputElement,
    more: Partial<CredentialRequestOptions> = {},
  ): Promise<string> {
    const options = await optionsOf(field);
    const isNew = field.dataset['passkey'] === 'create';
    const credential = isNew
      ? await navigator.credentials.create({ publicKey: passkeys.parseCreationOptionsFromJSON(options) })
      : await navigator.credentials.get({ ...more, publicKey: passkeys.parseRequestOptionsFromJSON(options) });
    return JSON.stringify((credential as unknown as Json).toJSON());
  }

  function send(field: HTMLInputElement, answer: string): void {
    field.value = answer;
    field.form?.requestSubmit();
    // The server accepts an answer once.
    setTimeout(() => (field.value = ''));
  }

  /** Before other listeners: the form is sent when its field has the answer. */
  document.addEventListener(
    'submit',
    (event) => {
      const form = event.target instanceof HTMLFormElement ? event.target : undefined;
      const field = form && fieldIn(form);
      if (!form || !field || field.value !== '') return;
      event.preventDefault();
      event.stopImmediatePropagation();
      const refused = form.querySelector<HTMLElement>('[data-passkey-refused]');
      if (refused) refused.hidden = true;
      waiting?.abort();
      askAuthenticator(field).then(
        (answer) => send(field, answer),
        () => {
          if (refused) refused.hidden = false;
        },
      );
    },
    true,
  );

  /** Offers the passkeys of a sign-in in the menu of the address field, where the browser can. */
  async function offer(field: HTMLInputElement): Promise<void> {
    waiting?.abort();
    waiting = new AbortController();
    // A press of the button during the next lines ends this question before it begins.
    const { signal } = waiting;
    if (!(await passkeys.isConditionalMediationAvailable?.())) return;
    const mediation = 'conditional' as CredentialMediationRequirement;
    const answer = await askAuthenticator(field, { mediation, signal }).catch(() => undefined);
    if (answer !== undefined && field.isConnected) send(field, answer);
  }

  function reveal(): void {
    for (const part of document.querySelectorAll<HTMLElement>('[data-passkey-part][hidden]')) {
      part.hidden = false;
      const field = fieldIn(part);
      if (field?.dataset['passkey'] === 'signIn') void offer(field);
    }
  }

  if (isUsable) {
    document.addEventListener('htmx:afterSettle', reveal);
    reveal();
  }
}
