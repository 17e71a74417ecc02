/** Buttons that copy a value. They are hidden without a script, and where the browser has no clipboard. */
{
  /** Long enough for a person who sees only a part of the page. */
  const shownForMs = 10_000;
  const timers = new WeakMap<HTMLElement, ReturnType<typeof setTimeout>>();

  /** A browser that refuses the clipboard gets the value selected, so that a key press copies it. */
  async function copy(button: HTMLElement): Promise<void> {
    const { copied = '' } = button.dataset;
    try {
      await navigator.clipboard.writeText(textOf(button));
    } catch {
      const shown = button.previousElementSibling;
      if (shown) getSelection()?.selectAllChildren(shown);
      return;
    }
    const status = button.nextElementSibling;
    if (!status) return;
    status.textContent = copied;
    button.classList.add('copied');
    const hide = () => {
      status.textContent = '';
      button.classList.remove('copied');
    };
    clearTimeout(timers.get(button));
    timers.set(button, setTimeout(hide, shownForMs));
  }

  function textOf({ dataset: { copy: value = '', codesOf } }: HTMLElement): string {
    if (codesOf === undefined) return value;
    return [...document.querySelectorAll(`#${codesOf} code`)].map(({ textContent }) => textContent).join('\n');
  }

  function show(): void {
    if (!isSecureContext) return;
    for (const button of document.querySelectorAll<HTMLElement>('[data-copy]')) button.hidden = false;
  }

  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element && target.closest<HTMLElement>('[data-copy]');
    if (button) void copy(button);
  });
  document.addEventListener('htmx:afterSettle', show);
  show();
}
