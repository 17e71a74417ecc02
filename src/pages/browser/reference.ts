/** The API reference: finds endpoints while words are typed, and calls one from its page. */
{
  const nameOfToken = 'reference-token';

  function find(words: string): void {
    let count = 0;
    for (const row of document.querySelectorAll<HTMLElement>('[data-text]')) {
      row.hidden = !words.split(/\s+/).every((word) => row.dataset['text']?.includes(word));
      if (!row.hidden) count += 1;
    }
    for (const area of document.querySelectorAll<HTMLElement>('[data-area]'))
      area.hidden = area.querySelector('[data-text]:not([hidden])') === null;
    const found = document.querySelector('[data-found]');
    if (found) found.textContent = `${count} ${count === 1 ? 'endpoint' : 'endpoints'}`;
  }

  interface Call {
    address: string;
    request: RequestInit & { method: string; headers: Record<string, string> };
  }

  /** The request that the form describes. An empty field is not sent. */
  function callOf(form: HTMLFormElement): Call {
    let path = form.dataset['path'] ?? '';
    const query = new URLSearchParams();
    const headers: Record<string, string> = {};
    for (const { dataset, name, value } of form.querySelectorAll<HTMLInputElement>('[data-in]')) {
      if (value === '') continue;
      if (dataset['in'] === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
      else if (dataset['in'] === 'header') headers[name] = value;
      else if (dataset['in'] === 'token') headers['Authorization'] = `Bearer ${value}`;
      else query.append(name, value);
    }
    sessionStorage.setItem(nameOfToken, form.querySelector<HTMLInputElement>('[data-in=token]')?.value ?? '');
    const body = bodyOf(form, headers);
    const address = location.origin + path + (query.size > 0 ? `?${query.toString()}` : '');
    const method = (form.dataset['call'] ?? 'get').toUpperCase();
    return { address, request: { method, headers, credentials: 'omit', ...(body !== undefined && { body }) } };
  }

  function bodyOf(form: HTMLFormElement, headers: Record<string, string>): BodyInit | undefined {
    const text = form.querySelector<HTMLTextAreaElement>('[data-body]');
    if (text) headers['Content-Type'] = 'application/json';
    const file = form.querySelector<HTMLInputElement>('[data-file]')?.files?.[0];
    if (file) headers['Content-Type'] = 'application/octet-stream';
    return text?.value ?? file;
  }

  /** The same request as a command. */
  function commandOf({ address, request: { method, headers, body } }: Call): string {
    const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
    const sent = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
    const data = typeof body === 'string' ? [`-d ${quoted(body)}`] : [];
    return [`curl -X ${method} ${quoted(address)}`, ...sent, ...data].join(' \\\n  ');
  }

  const element = (name: string, text: string) => Object.assign(document.createElement(name), { textContent: text });

  function scrollable(text: string): HTMLElement {
    const box = element('pre', text);
    box.tabIndex = 0;
    return box;
  }

  async function answered(response: Response): Promise<HTMLElement> {
    const type = response.headers.get('Content-Type') ?? '';
    if (/json|text|csv|xml/.test(type)) return scrollable(pretty(await response.text()));
    const link = document.createElement('a');
    link.href = URL.createObjectURL(await response.blob());
    link.download = '';
    link.textContent = `Download the file (${type})`;
    return link;
  }

  function pretty(text: string): string {
    try {
      return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      return text;
    }
  }

  async function send(form: HTMLFormElement, place: Element): Promise<void> {
    const call = callOf(form);
    const since = performance.now();
    try {
      const response = await fetch(call.address, call.request);
      const ms = Math.round(performance.now() - since);
      const title = element('h3', `${response.status} ${response.statusText} in ${ms} ms`);
      place.replaceChildren(
        title,
        await answered(response),
        element('h3', 'As a command'),
        scrollable(commandOf(call)),
      );
    } catch (error) {
      place.replaceChildren(element('p', `The server did not answer: ${String(error)}`));
    }
  }

  const search = document.querySelector<HTMLInputElement>('#find');
  search?.addEventListener('input', () => find(search.value.toLowerCase().trim()));

  const form = document.querySelector<HTMLFormElement>('[data-call]');
  const place = document.querySelector('[data-answer]');
  if (form && place) {
    const token = form.querySelector<HTMLInputElement>('[data-in=token]');
    if (token) token.value = sessionStorage.getItem(nameOfToken) ?? '';
    for (const fields of form.querySelectorAll('fieldset')) fields.disabled = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void send(form, place);
    });
  }
}
