/**
 * File choosers that copy the text of a file into a text field. They are hidden without a script, where the text is
 * pasted.
 */
{
  /** Some spreadsheet programs write the older encoding of Windows. */
  function textOf(bytes: ArrayBuffer): string {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      return new TextDecoder('windows-1252').decode(bytes);
    }
  }

  async function copy({ files, dataset }: HTMLInputElement): Promise<void> {
    const [file] = files ?? [];
    const field = document.getElementById(dataset['fileOf'] ?? '');
    if (!file || !(field instanceof HTMLTextAreaElement)) return;
    const isTooLarge = file.size > Number(dataset['bytesMax']);
    field.value = isTooLarge ? '' : textOf(await file.arrayBuffer());
    for (const alert of document.querySelectorAll<HTMLElement>('[data-file-refused]')) alert.hidden = !isTooLarge;
  }

  document.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLInputElement && target.dataset['fileOf'] !== undefined) void copy(target);
  });
  for (const part of document.querySelectorAll<HTMLElement>('[data-file-part]')) part.hidden = false;
}
