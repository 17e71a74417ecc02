/** What every page of ours runs: no framework, no build but the compiler's. htmx does the rest. */
(() => {
  interface Htmx {
    trigger(element: Element, event: string): void;
  }
  const htmx = (window as unknown as { htmx: Htmx }).htmx;
  const isFramed = window.parent !== window;

  /** One socket a merchant, for as long as something on the page listens; each event wakes who listens. */
  const sockets = new Map<string, WebSocket>();
  const retryAfterMs = 2000;
  /** The merchant has turned the channel off: what is shown looks by itself, and the socket is not tried again. */
  const turnedOff = 4410;

  function listen(): void {
    const wanted = new Set([...document.querySelectorAll('[data-listen]')].map((one) => merchantOf(one)));
    for (const merchant of wanted) if (!sockets.has(merchant)) open(merchant);
    for (const [merchant, socket] of sockets) if (!wanted.has(merchant)) socket.close();
  }

  const merchantOf = (element: Element) => element.getAttribute('data-listen') ?? '';

  function open(merchant: string): void {
    const address = new URL(`/notifications?merchant_uuid=${encodeURIComponent(merchant)}`, location.href);
    address.protocol = address.protocol.replace('http', 'ws');
    const socket = new WebSocket(address);
    sockets.set(merchant, socket);
    // What happened before the socket was open is asked for once.
    socket.onopen = () => wake(merchant);
    socket.onmessage = () => wake(merchant);
    socket.onclose = ({ code }) => {
      sockets.delete(merchant);
      if (code !== turnedOff) setTimeout(listen, retryAfterMs);
    };
  }

  function wake(merchant: string): void {
    for (const element of document.querySelectorAll('[data-listen]'))
      if (merchantOf(element) === merchant) htmx.trigger(element, 'told');
  }

  /** What has changed is where a reader goes on: the complaint, or the heading of a new step. */
  function focusNew(root: Element): void {
    const target = root.matches('[data-focus]') ? root : root.querySelector('[data-focus]');
    if (!(target instanceof HTMLElement)) return;
    target.focus();
    // Once: an answer that changes nothing is no reason to go back there.
    target.removeAttribute('data-focus');
  }

  /** `data-tell` is said to the page that shows this one in a frame; see docs/embedding.md for the messages. */
  function tell(message: object): void {
    if (isFramed) window.parent.postMessage({ source: 'paywall', ...message }, '*');
  }

  function tellAll(root: Element): void {
    for (const element of [root, ...root.querySelectorAll('[data-tell]')]) {
      const message = element.getAttribute('data-tell');
      element.removeAttribute('data-tell');
      if (message !== null) tell(JSON.parse(message) as object);
    }
  }

  function tellSize(): void {
    tell({ type: 'paywall.resized', height: Math.ceil(document.body.scrollHeight) });
  }

  document.addEventListener('click', (event) => {
    if (event.target instanceof Element && event.target.closest('[data-close]')) tell({ type: 'paywall.closed' });
  });
  /** A question that was opened closes again, and one is where one was. */
  document.addEventListener('keydown', (event) => {
    const question = event.key === 'Escape' && event.target instanceof Element && event.target.closest('.asking[open]');
    if (!question) return;
    question.removeAttribute('open');
    question.querySelector('summary')?.focus();
  });
  document.addEventListener('htmx:afterSettle', (event) => {
    if (!(event.target instanceof Element)) return;
    keepDevice();
    focusNew(event.target);
    tellAll(event.target);
    listen();
  });
  /** Nothing is sent twice, nor in two ways: while a form is on its way, none of its buttons is of use. */
  function hold({ target }: Event, isHeld: boolean): void {
    if (!(target instanceof HTMLFormElement)) return;
    for (const button of target.querySelectorAll('button')) button.disabled = isHeld;
  }
  document.addEventListener('htmx:beforeSend', (event) => hold(event, true));
  document.addEventListener('htmx:afterRequest', (event) => hold(event, false));

  /** A request that reached nobody is said, until the next one is answered. */
  function tellLost(isLost: boolean): void {
    const line = document.querySelector('[data-lost]');
    if (line) line.textContent = isLost ? line.getAttribute('data-lost') : '';
  }
  document.addEventListener('htmx:sendError', () => tellLost(true));
  document.addEventListener('htmx:beforeOnLoad', () => tellLost(false));

  /** A sign-in elsewhere ends at `#token=…` or `#error=…`: what waits for it takes it over, and the address forgets it. */
  function takeToken(): void {
    const form = document.querySelector('form[data-token]');
    const given = new URLSearchParams(location.hash.slice(1));
    if (!(form instanceof HTMLFormElement) || !(given.has('token') || given.has('error'))) return;
    history.replaceState(null, '', location.pathname + location.search);
    if (!given.has('token')) return tellRefused(given.get('error') ?? '');
    for (const name of ['token', 'expires']) {
      const input = form.elements.namedItem(name);
      if (input instanceof HTMLInputElement) input.value = given.get(name) ?? '';
    }
    form.submit();
  }

  function tellRefused(reason: string): void {
    const texts = [...document.querySelectorAll<HTMLElement>('[data-refused]')];
    const text = texts.find((one) => one.getAttribute('data-refused') === reason) ?? texts.at(-1);
    if (!text) return;
    text.hidden = false;
    text.setAttribute('data-focus', '');
  }

  /** A code counts devices: this one is called the same after the browser was closed. */
  function keepDevice(): void {
    const input = document.querySelector('input[data-device]');
    if (!(input instanceof HTMLInputElement)) return;
    try {
      input.value = localStorage.getItem('device') ?? input.value;
      localStorage.setItem('device', input.value);
    } catch {
      // A browser that keeps nothing in a frame: its visit is its device.
    }
  }

  const previewAfterMs = 400;
  let previewTimer: ReturnType<typeof setTimeout> | undefined;

  /** What a form holds is shown by its button in the frame that it names, a moment after the last change. */
  document.addEventListener('input', (event) => {
    const form = event.target instanceof Element && event.target.closest('form');
    const button = form && form.querySelector('button[data-preview]');
    if (!form || !(button instanceof HTMLButtonElement)) return;
    clearTimeout(previewTimer);
    previewTimer = setTimeout(() => {
      const frame = document.querySelector(`iframe[name="${button.formTarget}"]`);
      // A new frame is no step back in the browser's history.
      const fresh = frame?.cloneNode();
      if (!frame || !(fresh instanceof HTMLIFrameElement)) return;
      fresh.removeAttribute('src');
      frame.replaceWith(fresh);
      form.requestSubmit(button);
    }, previewAfterMs);
  });

  /** A menu that is wider than the window begins at where one is. */
  function showCurrent(): void {
    document.querySelector('.console-menu [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }

  takeToken();
  keepDevice();
  showCurrent();
  listen();
  tellAll(document.body);
  focusNew(document.body);
  if (isFramed) new ResizeObserver(tellSize).observe(document.body);
})();
