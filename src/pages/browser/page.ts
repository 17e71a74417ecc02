/**
 * The script of every page, in addition to htmx. It has no framework and needs no build except the compiler. A block
 * keeps the names of a strict script from becoming global.
 */
{
  interface Htmx {
    trigger(element: Element, event: string): void;
  }
  interface Swap {
    shouldSwap: boolean;
    serverResponse: string;
    requestConfig: { verb: string };
  }
  const htmx = (window as unknown as { htmx: Htmx }).htmx;
  const isFramed = window.parent !== window;

  /**
   * One socket for each merchant, while an element of the page listens. Each event refreshes the listening elements.
   */
  const sockets = new Map<string, WebSocket>();
  const retryAfterMs = 2000;
  /** The close code for a merchant that has turned the channel off. Elements then poll, and the socket stays closed. */
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
    // One refresh covers the events before the socket was open.
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

  /** The other tabs of the paywall. A tab that shows an item tells them, and they check whether theirs is open too. */
  const tabs = new BroadcastChannel('paywall');

  function check(): void {
    for (const element of document.querySelectorAll('[data-await]')) htmx.trigger(element, 'told');
  }

  tabs.onmessage = check;
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') check();
  });

  /** Moves the focus to the changed content: the error, or the heading of a new step. */
  function focusNew(root: Element): void {
    const target = root.matches('[data-focus]') ? root : root.querySelector('[data-focus]');
    if (!(target instanceof HTMLElement)) return;
    target.focus();
    // The focus moves once, so that an unchanged response does not move it again.
    target.removeAttribute('data-focus');
  }

  /** Sends the message of `data-tell` to the embedding page. docs/embedding.md describes the messages. */
  function sendMessage(message: object): void {
    if (isFramed) window.parent.postMessage({ source: 'paywall', ...message }, '*');
  }

  function sendMessages(root: Element): void {
    for (const element of [root, ...root.querySelectorAll('[data-tell]')]) {
      const message = element.getAttribute('data-tell');
      element.removeAttribute('data-tell');
      if (message === null) continue;
      const told = JSON.parse(message) as { type: string };
      sendMessage(told);
      if (told.type === 'paywall.unlocked') tabs.postMessage('');
    }
  }

  function sendSize(): void {
    sendMessage({ type: 'paywall.resized', height: Math.ceil(document.body.scrollHeight) });
  }

  document.addEventListener('click', (event) => {
    if (event.target instanceof Element && event.target.closest('[data-close]'))
      sendMessage({ type: 'paywall.closed' });
  });
  /**
   * The escape key closes an open confirmation and returns the focus. Without an open one, the page around the frame
   * gets a message: it does not receive the key, and the frame may be in a dialog.
   */
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    const question = event.target instanceof Element && event.target.closest('.asking[open]');
    if (!question) return sendMessage({ type: 'paywall.escape' });
    question.removeAttribute('open');
    question.querySelector('summary')?.focus();
  });
  document.addEventListener('htmx:afterSettle', (event) => {
    if (!(event.target instanceof Element)) return;
    loadScripts();
    keepDevice();
    focusNew(event.target);
    sendMessages(event.target);
    listen();
  });
  /**
   * A refresh that brings what is shown already changes nothing. The focus, an open question and what is typed stay. Only a
   * refresh uses GET: the answer to a form is always shown.
   */
  document.addEventListener('htmx:beforeSwap', (event) => {
    const { detail, target } = event as CustomEvent<Swap>;
    const shown = target instanceof HTMLElement && target.dataset['shown'];
    if (shown && detail.requestConfig.verb === 'get' && detail.serverResponse.includes(` data-shown="${shown}"`))
      detail.shouldSwap = false;
  });
  /** The buttons of a form are disabled while it is sent, so that it is not sent twice. */
  function disableButtons({ target }: Event, isDisabled: boolean): void {
    if (!(target instanceof HTMLFormElement)) return;
    for (const button of target.querySelectorAll('button')) button.disabled = isDisabled;
  }
  document.addEventListener('htmx:beforeSend', (event) => disableButtons(event, true));
  document.addEventListener('htmx:afterRequest', (event) => disableButtons(event, false));
  /**
   * A form that loads the whole page. Its buttons are disabled only after the browser has read which one was pressed.
   */
  document.addEventListener('submit', (event) => {
    const isHtmx = event.target instanceof Element && event.target.hasAttribute('hx-post');
    const staysOnPage = isHtmx || event.defaultPrevented || event.submitter?.hasAttribute('formtarget');
    if (!staysOnPage) setTimeout(() => disableButtons(event, true));
  });
  /** If the browser restores a page from its cache, as after Back, the buttons are enabled again. */
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted)
      for (const form of document.forms) for (const button of form.querySelectorAll('button')) button.disabled = false;
  });

  /** Shows the notice of a lost connection until the next response. */
  function showOffline(isOffline: boolean): void {
    const line = document.querySelector('[data-lost]');
    if (line) line.textContent = isOffline ? line.getAttribute('data-lost') : '';
  }
  document.addEventListener('htmx:sendError', () => showOffline(true));
  document.addEventListener('htmx:beforeOnLoad', () => showOffline(false));

  /** The limit of an access code counts devices, so the browser stores a device id. */
  function keepDevice(): void {
    const input = document.querySelector('input[data-device]');
    if (!(input instanceof HTMLInputElement)) return;
    try {
      input.value = localStorage.getItem('device') ?? input.value;
      localStorage.setItem('device', input.value);
    } catch {
      // A browser may refuse storage in a frame. Each visit then counts as a new device.
    }
  }

  /** The server writes times on the clock of the browser. It reads the zone of the browser from the next request on. */
  function keepZone(): void {
    const zone = `time_zone=${Intl.DateTimeFormat().resolvedOptions().timeZone}; Path=/; Max-Age=34560000`;
    const site = isFramed ? 'None; Partitioned' : 'Lax';
    try {
      document.cookie =
        location.protocol === 'https:' ? `__Host-${zone}; Secure; SameSite=${site}` : `${zone}; SameSite=Lax`;
    } catch {
      // A frame without an origin has no cookies. Its times are in UTC, and say so.
    }
  }

  const previewAfterMs = 400;
  let previewTimer: ReturnType<typeof setTimeout> | undefined;

  /** Refreshes the preview of a form in its frame, a moment after the last change. */
  document.addEventListener('input', (event) => {
    const form = event.target instanceof Element && event.target.closest('form');
    const button = form && form.querySelector('button[data-preview]');
    if (!form || !(button instanceof HTMLButtonElement)) return;
    clearTimeout(previewTimer);
    previewTimer = setTimeout(() => {
      const frame = document.querySelector(`iframe[name="${button.formTarget}"]`);
      // A replaced frame adds no entry to the browser's history.
      const fresh = frame?.cloneNode();
      if (!frame || !(fresh instanceof HTMLIFrameElement)) return;
      fresh.removeAttribute('src');
      frame.replaceWith(fresh);
      form.requestSubmit(button);
    }, previewAfterMs);
  });

  /** Scrolls menus and tabs that are wider than the window to the current page. The page itself stays where it is. */
  function showCurrent(): void {
    for (const strip of document.querySelectorAll<HTMLElement>('.console-menu, .portal-menu, .tabs')) {
      const current = strip.querySelector('[aria-current]')?.getBoundingClientRect();
      const { left, width } = strip.getBoundingClientRect();
      if (current) strip.scrollLeft += current.left + current.width / 2 - left - width / 2;
    }
  }

  const { nonce } = document.currentScript ?? {};

  /** A part of a page may need another script. It is loaded with the part, so that other visitors do not load it. */
  function loadScripts(): void {
    for (const element of document.querySelectorAll<HTMLElement>('[data-needs-script]')) {
      const src = element.dataset['needsScript'] ?? '';
      if (document.querySelector(`script[src="${src}"]`)) continue;
      document.head.append(Object.assign(document.createElement('script'), { src, nonce }));
    }
  }

  function start(): void {
    keepZone();
    loadScripts();
    keepDevice();
    showCurrent();
    listen();
    sendMessages(document.body);
    focusNew(document.body);
    if (isFramed) new ResizeObserver(sendSize).observe(document.body);
  }

  start();
}
