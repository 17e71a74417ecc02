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
    socket.onclose = () => {
      sockets.delete(merchant);
      setTimeout(listen, retryAfterMs);
    };
  }

  function wake(merchant: string): void {
    for (const element of document.querySelectorAll('[data-listen]'))
      if (merchantOf(element) === merchant) htmx.trigger(element, 'told');
  }

  /** What has changed is where a reader goes on: the complaint, or the heading of a new step. */
  function focusNew(root: Element): void {
    const target = root.matches('[data-focus]') ? root : root.querySelector('[data-focus]');
    if (target instanceof HTMLElement) target.focus();
  }

  /** `data-tell` is said to the page that shows this one in a frame; see docs/pages.md for the messages. */
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
  document.addEventListener('htmx:afterSettle', (event) => {
    if (!(event.target instanceof Element)) return;
    focusNew(event.target);
    tellAll(event.target);
    listen();
  });
  /** A session that ended, or a page that was open for days: the next answer is a page of its own. */
  document.addEventListener('htmx:sendError', () => document.body.classList.add('offline'));

  /** A sign-in elsewhere ends at `#token=…`: the form that waits for it takes it over, and the address forgets it. */
  function takeToken(): void {
    const form = document.querySelector('form[data-token]');
    const given = new URLSearchParams(location.hash.slice(1));
    if (!(form instanceof HTMLFormElement) || !given.has('token')) return;
    history.replaceState(null, '', location.pathname + location.search);
    for (const name of ['token', 'expires']) {
      const input = form.elements.namedItem(name);
      if (input instanceof HTMLInputElement) input.value = given.get(name) ?? '';
    }
    form.submit();
  }

  /** A menu that is wider than the window begins at where one is. */
  function showCurrent(): void {
    document.querySelector('.console-menu [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }

  takeToken();
  showCurrent();
  listen();
  tellAll(document.body);
  focusNew(document.body);
  if (isFramed) new ResizeObserver(tellSize).observe(document.body);
})();
