/**
 * The script for a merchant's page: `<script src="https://…/embed.js" defer></script>`. It opens the paywall of an item
 * in a frame, and reports the paywall's events. docs/embedding.md describes the messages. The block keeps the names of
 * this strict script out of the merchant's page.
 */
{
  interface Options {
    merchant: string;
    item: number | string;
    /** The element for the frame. Without it, a dialog opens over the page. */
    target?: Element | string;
    language?: string;
    onMessage?: (message: Message) => void;
  }
  interface Message {
    source: 'paywall';
    type: string;
    item_id?: number;
    height?: number;
    [more: string]: unknown;
  }
  interface Opened {
    close(): void;
    frame: HTMLIFrameElement;
  }

  const script = document.currentScript as HTMLScriptElement | null;
  const origin = new URL(script?.src ?? location.href).origin;

  function open(options: Options): Opened {
    const heightKey = `paywall.height.${options.merchant}.${options.item}`;
    const frame = createFrame(options, keptHeight(heightKey));
    const target = typeof options.target === 'string' ? document.querySelector(options.target) : options.target;
    const dialog = target ? undefined : openDialog(frame, options.language);
    if (target) target.replaceChildren(frame);

    function hear({ origin: from, source, data }: MessageEvent<unknown>): void {
      if (from !== origin || source !== frame.contentWindow) return;
      const message = data as Message | null;
      if (message?.source !== 'paywall' || typeof message.type !== 'string') return;
      if (dialog) leaveToFrame(dialog, frame);
      if (message.type === 'paywall.resized' && target && typeof message.height === 'number') {
        const height = Math.max(minHeight, Math.min(message.height, maxHeight));
        frame.style.height = `${height}px`;
        keepHeight(heightKey, height);
      }
      options.onMessage?.(message);
      (target ?? document).dispatchEvent(new CustomEvent(message.type, { detail: message, bubbles: true }));
      if (message.type === 'paywall.closed' || (message.type === 'paywall.escape' && dialog)) close();
    }
    function close(): void {
      window.removeEventListener('message', hear);
      frame.remove();
      dialog?.close();
      dialog?.remove();
    }
    window.addEventListener('message', hear);
    dialog?.addEventListener('close', close, { once: true });
    return { close, frame };
  }

  function createFrame({ merchant, item, language }: Options, height: number): HTMLIFrameElement {
    const frame = document.createElement('iframe');
    const [, title] = labelsIn(language);
    const address = new URL(`/paywall/${encodeURIComponent(merchant)}/${item}`, origin);
    if (language !== undefined) address.searchParams.set('lang', language);
    frame.src = address.href;
    frame.title = title;
    frame.allow = 'autoplay; fullscreen; encrypted-media; picture-in-picture';
    // The paywall needs the origin of the embedding page.
    frame.referrerPolicy = 'origin';
    Object.assign(frame.style, { border: '0', width: '100%', height: `${height}px`, display: 'block' });
    return frame;
  }

  /** The label of the button that closes, and the title of the frame. */
  const english = ['Close', 'Paywall'] as const;
  const labels = new Map<string, readonly [string, string]>([
    ['ar', ['إغلاق', 'الوصول المدفوع']],
    ['de', ['Schließen', 'Kostenpflichtiger Zugang']],
    ['es', ['Cerrar', 'Acceso de pago']],
    ['fr', ['Fermer', 'Accès payant']],
    ['it', ['Chiudi', 'Accesso a pagamento']],
    ['pt', ['Fechar', 'Acesso pago']],
    ['tr', ['Kapat', 'Ücretli erişim']],
  ]);

  /** The labels in the language of the paywall, or else of the merchant's page: `pt-BR` is `pt`. */
  function labelsIn(language: string | undefined): readonly [string, string] {
    const tag = language || document.documentElement.lang;
    return labels.get(tag.slice(0, tag.search(/-|$/)).toLowerCase()) ?? english;
  }

  const [minHeight, maxHeight] = [200, 20_000];

  /** The last height of this item in the same tab, so that the page does not move when the paywall has loaded. */
  function keptHeight(key: string): number {
    try {
      const height = Number(sessionStorage.getItem(key));
      if (height >= minHeight && height <= maxHeight) return height;
    } catch {
      // The browser or the merchant's page allows no storage.
    }
    return 640;
  }

  function keepHeight(key: string, height: number): void {
    try {
      sessionStorage.setItem(key, String(height));
    } catch {
      // The next frame begins with the usual height.
    }
  }

  /** The browser keeps the focus in the dialog. The escape key closes it, even if the focus is in the frame. */
  function openDialog(frame: HTMLIFrameElement, language?: string): HTMLDialogElement {
    const dialog = document.createElement('dialog');
    dialog.setAttribute('aria-label', frame.title);
    Object.assign(dialog.style, {
      padding: '0',
      border: '0',
      borderRadius: '12px',
      width: 'min(46rem, 100vw)',
      maxWidth: '100vw',
      height: 'min(52rem, 100dvh)',
      maxHeight: '100dvh',
    });
    frame.style.height = '100%';
    dialog.append(createCloseButton(dialog, labelsIn(language)[0]), frame);
    document.body.append(dialog);
    dialog.showModal();
    return dialog;
  }

  /** The page in the frame has its own button. This one is for a page that is still loading, or does not load. */
  function createCloseButton(dialog: HTMLDialogElement, label: string): HTMLButtonElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = '×';
    button.setAttribute('aria-label', label);
    Object.assign(button.style, {
      position: 'absolute',
      top: '8px',
      insetInlineEnd: '8px',
      width: '40px',
      height: '40px',
      border: '0',
      borderRadius: '8px',
      background: 'Canvas',
      color: 'CanvasText',
      font: '24px/1 system-ui, sans-serif',
      cursor: 'pointer',
    });
    button.onclick = () => dialog.close();
    return button;
  }

  /** Removes the button once the page in the frame has sent a message. Its focus goes to the page. */
  function leaveToFrame(dialog: HTMLDialogElement, frame: HTMLIFrameElement): void {
    const button = dialog.querySelector('button');
    if (!button) return;
    const hasFocus = document.activeElement === button;
    button.remove();
    if (hasFocus) frame.focus();
  }

  /** Elements with attributes open a paywall after a click or, with `data-paywall-inline`, immediately. */
  function readAttributes(): void {
    for (const element of document.querySelectorAll('[data-paywall-item]')) {
      const merchant = element.getAttribute('data-paywall-merchant') ?? '';
      const item = element.getAttribute('data-paywall-item') ?? '';
      const language = element.getAttribute('data-paywall-language');
      const options = { merchant, item, ...(language !== null && { language }) };
      if (element.hasAttribute('data-paywall-inline')) open({ ...options, target: element });
      else element.addEventListener('click', () => open(options));
    }
  }

  Object.assign(window, { Paywall: { open } });
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', readAttributes);
  else readAttributes();
}
