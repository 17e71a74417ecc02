/**
 * The provider's payment form on our pages. The browser sends the card to the provider, and only a token to us.
 * `paymentFormField` in src/pages/customer/paymentForm.ts writes the element for the form, and `paymentAction` in
 * src/pages/customer/paymentAction.ts the element for an authentication.
 */
{
  interface Outcome {
    error?: { message?: string };
  }
  interface PaymentElement {
    mount(place: Element): void;
    destroy(): void;
    on(event: 'change' | 'confirm' | 'loaderror', listener: () => void): void;
    on(event: 'ready', listener: (ready: { availablePaymentMethods?: object }) => void): void;
  }
  interface Elements {
    create(kind: 'payment' | 'expressCheckout', options?: object): PaymentElement;
    submit(): Promise<Outcome>;
  }
  interface Stripe {
    elements(options: object): Elements;
    createConfirmationToken(options: { elements: Elements }): Promise<Outcome & { confirmationToken?: { id: string } }>;
    handleNextAction(options: { clientSecret: string }): Promise<Outcome>;
    confirmPayment(options: object): Promise<Outcome>;
  }
  type OpenStripe = (publishableKey: string, options: { stripeAccount?: string }) => Stripe;
  interface PaymentForm {
    stripe: Stripe;
    elements: Elements;
  }
  interface Confirmation {
    elt: Element;
    triggeringEvent?: Event;
    issueRequest: (skipsConfirmation: boolean) => void;
  }

  let stripe: Promise<Stripe> | undefined;
  const forms = new WeakMap<HTMLElement, Promise<PaymentForm>>();
  /** The mounted forms. They are destroyed after htmx has replaced their elements. */
  const mounted = new Map<HTMLElement, PaymentElement>();
  const busy = new WeakSet<HTMLFormElement>();

  const placeIn = (root: ParentNode) => root.querySelector<HTMLElement>('[data-payment-form]');
  /** The button of a wallet, which pays for a payment that exists already. */
  const walletIn = (root: ParentNode) => root.querySelector<HTMLElement>('[data-payment-wallet]');

  function showForms(): void {
    for (const [place, element] of mounted)
      if (!place.isConnected) {
        element.destroy();
        mounted.delete(place);
      }
    const place = placeIn(document) ?? walletIn(document);
    if (place) void openForm(place).catch(() => tell(place, place.dataset['blocked']));
  }

  function openForm(place: HTMLElement): Promise<PaymentForm> {
    const known = forms.get(place);
    if (known) return known;
    const opening = mount(place);
    forms.set(place, opening);
    // After a failure, the next attempt loads the script again.
    opening.catch(() => forms.delete(place));
    return opening;
  }

  async function mount(place: HTMLElement): Promise<PaymentForm> {
    const opened = await openStripe(place);
    const elements = opened.elements(optionsOf(place));
    const element = 'paymentWallet' in place.dataset ? createWallet(place, elements) : createForm(place, elements);
    element.on('loaderror', () => tell(place, place.dataset['blocked']));
    element.mount(place);
    mounted.set(place, element);
    return { stripe: opened, elements };
  }

  function createForm(place: HTMLElement, elements: Elements): PaymentElement {
    const element = elements.create('payment');
    element.on('change', () => {
      tell(place, undefined);
      writeToken(place, '');
    });
    return element;
  }

  /** The button of one wallet. It has no fields for a card. */
  function createWallet(place: HTMLElement, elements: Elements): PaymentElement {
    const { wallet, missing } = place.dataset;
    const buttons = ['amazonPay', 'applePay', 'googlePay', 'klarna', 'link', 'paypal'];
    const named = wallet === 'apple_pay' ? 'applePay' : 'googlePay';
    const paymentMethods = Object.fromEntries(buttons.map((name) => [name, name === named ? 'always' : 'never']));
    const element = elements.create('expressCheckout', { paymentMethods });
    element.on('ready', ({ availablePaymentMethods: found }) => tell(place, found ? undefined : missing));
    element.on('confirm', () => void payByWallet(place));
    return element;
  }

  function openStripe({ dataset }: HTMLElement): Promise<Stripe> {
    const { script = '', key = '', account = '' } = dataset;
    stripe ??= loadScript(script).then((open) => open(key, account === '' ? {} : { stripeAccount: account }));
    stripe.catch(() => (stripe = undefined));
    return stripe;
  }

  function loadScript(address: string): Promise<OpenStripe> {
    return new Promise((resolve, reject) => {
      const script = document.createElement('script');
      script.src = address;
      script.onload = () => {
        const { Stripe: open } = window as unknown as { Stripe?: OpenStripe };
        if (open) resolve(open);
        else reject(new Error(`${address} is not the script of Stripe`));
      };
      script.onerror = () => {
        script.remove();
        reject(new Error(`${address} is not loaded`));
      };
      document.head.append(script);
    });
  }

  /** The options of a deferred intent: the service creates the intent after it has received the token. */
  function optionsOf({ dataset }: HTMLElement): object {
    const { mode, amount, currency, methods = 'card', secret: clientSecret } = dataset;
    if (clientSecret !== undefined) return { clientSecret, ...looks() };
    return {
      mode,
      currency,
      ...(mode === 'payment' && { amount: Number(amount) }),
      paymentMethodTypes: methods.split(' '),
      setupFutureUsage: 'off_session',
      ...looks(),
    };
  }

  /** The language and the colours of the page. */
  function looks(): object {
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    return {
      locale: document.documentElement.lang,
      appearance: {
        theme: style.colorScheme === 'dark' ? 'night' : 'stripe',
        variables: { colorPrimary: colour('--accent'), colorText: colour('--ink'), colorDanger: colour('--bad') },
      },
    };
  }

  function tell(place: HTMLElement, message: string | undefined): void {
    const line = place.parentElement?.querySelector<HTMLElement>('[data-payment-error]');
    if (!line) return;
    line.textContent = message ?? '';
    line.hidden = line.textContent === '';
  }

  function tokenField(place: HTMLElement): HTMLInputElement | null {
    return place.parentElement?.querySelector<HTMLInputElement>('input[name="payment_token"]') ?? null;
  }

  function writeToken(place: HTMLElement, token: string): void {
    const field = tokenField(place);
    if (field) field.value = token;
  }

  /** A form sends no card if it is optional and closed, or if the visitor has chosen the saved card. */
  const isShown = (place: HTMLElement) =>
    place.closest('details:not([open])') === null && place.getClientRects().length > 0;

  /** The enter key applies a new voucher before the payment, like `isForVoucher` in src/pages/paywall/purchase.ts. */
  function appliesVoucher(form: HTMLFormElement, trigger: Event | undefined): boolean {
    const button = trigger instanceof SubmitEvent ? trigger.submitter : null;
    const fields = new FormData(form);
    const textOf = (name: string) => fields.get(name) ?? '';
    return button?.getAttribute('value') === 'enter' && textOf('voucher_code') !== textOf('shown_voucher');
  }

  document.addEventListener('htmx:confirm', (event) => {
    const { elt: form, triggeringEvent, issueRequest } = (event as CustomEvent<Confirmation>).detail;
    const place = form instanceof HTMLFormElement && placeIn(form);
    if (!place || !isShown(place) || appliesVoucher(form, triggeringEvent)) return;
    // After a lost connection the form still has its token. The same request gets the same answer.
    if (tokenField(place)?.value !== '') return;
    event.preventDefault();
    if (!busy.has(form)) void sendWithToken(form, place, () => issueRequest(true));
  });

  /** A page without htmx sends its form itself. */
  document.addEventListener('submit', (event) => {
    const { target: form } = event;
    const place = form instanceof HTMLFormElement && !form.hasAttribute('hx-post') && placeIn(form);
    if (!place || tokenField(place)?.value !== '') return;
    event.preventDefault();
    if (!busy.has(form)) void sendWithToken(form, place, () => form.requestSubmit());
  });

  async function sendWithToken(form: HTMLFormElement, place: HTMLElement, send: () => void): Promise<void> {
    disableButtons(form, true);
    tell(place, undefined);
    const made = await makeToken(place);
    disableButtons(form, false);
    if ('token' in made) {
      writeToken(place, made.token);
      return send();
    }
    tell(place, made.refusal);
    place.parentElement?.querySelector<HTMLElement>('[data-payment-error]')?.focus();
  }

  async function makeToken(place: HTMLElement): Promise<{ token: string } | { refusal: string | undefined }> {
    const blocked = place.dataset['blocked'];
    try {
      const { stripe: opened, elements } = await openForm(place);
      const checked = await elements.submit();
      if (checked.error) return { refusal: checked.error.message ?? blocked };
      const { confirmationToken, error } = await opened.createConfirmationToken({ elements });
      return confirmationToken ? { token: confirmationToken.id } : { refusal: error?.message ?? blocked };
    } catch {
      return { refusal: blocked };
    }
  }

  /** Disables the buttons while the provider creates the token, so that one press is one payment. */
  function disableButtons(form: HTMLFormElement, isDisabled: boolean): void {
    if (isDisabled) busy.add(form);
    else busy.delete(form);
    for (const button of form.querySelectorAll('button')) button.disabled = isDisabled;
  }

  const actionIn = (root: ParentNode) => root.querySelector<HTMLElement>('[data-payment-action]');
  const begun = new WeakSet<HTMLElement>();

  /** Starts the payer's authentication once automatically. After that, a button starts it. */
  function showActions(): void {
    const place = actionIn(document);
    if (!place || begun.has(place) || 'repeated' in place.dataset) return;
    void authenticate(place);
  }

  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element && target.closest('[data-payment-again]');
    const place = button && button.parentElement && actionIn(button.parentElement);
    if (place) void authenticate(place);
  });

  /** The service reads the payer's answer from the provider, so the form is also sent after a refusal. */
  async function authenticate(place: HTMLElement): Promise<void> {
    begun.add(place);
    const form = place.closest('form');
    if (!form || busy.has(form)) return;
    disableButtons(form, true);
    tell(place, undefined);
    const isAsked = await openStripe(place)
      .then((opened) => opened.handleNextAction({ clientSecret: place.dataset['secret'] ?? '' }))
      .then(() => true)
      .catch(() => false);
    disableButtons(form, false);
    if (isAsked) return form.requestSubmit();
    tell(place, place.dataset['blocked']);
    place.parentElement?.querySelector<HTMLElement>('[data-payment-error]')?.focus();
  }

  /** The service reads the outcome from the provider, after the script has sent the form. */
  async function payByWallet(place: HTMLElement): Promise<void> {
    const form = place.closest('form');
    if (!form || busy.has(form)) return;
    disableButtons(form, true);
    tell(place, undefined);
    const refusal = await confirmByWallet(place).catch(() => place.dataset['blocked'] ?? '');
    disableButtons(form, false);
    if (refusal === undefined) return form.requestSubmit();
    tell(place, refusal);
    place.parentElement?.querySelector<HTMLElement>('[data-payment-error]')?.focus();
  }

  async function confirmByWallet(place: HTMLElement): Promise<string | undefined> {
    const { stripe: script, elements } = await openForm(place);
    const checked = await elements.submit();
    if (checked.error) return checked.error.message ?? '';
    const confirmParams = { return_url: location.href };
    const { error } = await script.confirmPayment({ elements, confirmParams, redirect: 'if_required' });
    return error && (error.message ?? '');
  }

  /** A token is valid for one payment. A page that the browser restores, as after Back, requests a new one. */
  window.addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    for (const place of document.querySelectorAll<HTMLElement>('[data-payment-form]')) writeToken(place, '');
  });

  function show(): void {
    showForms();
    showActions();
  }

  document.addEventListener('htmx:afterSettle', show);
  show();
}
