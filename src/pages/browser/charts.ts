/** Charts: the values at the pointer, and the picture as a PNG file. Without the script, the table has the values. */
{
  const svgName = 'http://www.w3.org/2000/svg';
  type Picture = SVGSVGElement;
  const frameOf = (element: Element) => element.closest<HTMLElement>('.chart-frame');

  /** The box with the values of one label, and the line through its marks. */
  function hide(): void {
    for (const element of document.querySelectorAll('.chart-values, .chart-line')) element.remove();
  }

  function show(picture: Picture, pointerX: number): void {
    const frame = frameOf(picture);
    const rows = frame?.querySelectorAll<HTMLTableRowElement>('tbody tr');
    if (!frame || !rows?.length) return;
    const box = picture.getBoundingClientRect();
    const { width, height } = picture.viewBox.baseVal;
    const from = Number(picture.dataset['from']);
    const step = Number(picture.dataset['step']);
    const nearest = Math.round((((pointerX - box.left) / box.width) * width - from) / step);
    const index = Math.min(rows.length - 1, Math.max(0, nearest));
    const row = rows[index];
    if (!row) return;
    hide();
    const x = from + index * step;
    const line = document.createElementNS(svgName, 'path');
    line.setAttribute('class', 'chart-line');
    line.setAttribute('d', `M${x} 18V${height - 30}`);
    picture.append(line);
    const values = valuesOf(frame, row);
    frame.append(values);
    const left = (x / width) * box.width - values.offsetWidth / 2;
    values.style.left = `${Math.max(0, Math.min(frame.clientWidth - values.offsetWidth, left))}px`;
  }

  function valuesOf(frame: HTMLElement, row: HTMLTableRowElement): HTMLElement {
    const values = document.createElement('div');
    values.className = 'chart-values';
    values.setAttribute('aria-hidden', 'true');
    const heads = frame.querySelectorAll('thead th');
    const [label, ...cells] = row.cells;
    const title = document.createElement('p');
    title.textContent = label?.textContent.trim() ?? '';
    values.append(title);
    cells.forEach((cell, index) => {
      const line = document.createElement('p');
      const value = document.createElement('strong');
      value.textContent = cell.textContent.trim();
      line.append(`${heads[index]?.textContent.trim() ?? ''} `, value);
      values.append(line);
    });
    return values;
  }

  const pictureAt = ({ target }: Event) =>
    target instanceof Element ? target.closest<Picture>('svg.chart[data-step]') : null;
  function follow(event: PointerEvent): void {
    const picture = pictureAt(event);
    if (picture) show(picture, event.clientX);
    else hide();
  }
  document.addEventListener('pointermove', follow);
  document.addEventListener('pointerdown', follow);
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') hide();
  });

  /** The size of a pixel of the chart in the file. */
  const scale = 3;
  const edge = 16;
  const lineHeight = 20;
  const drawn = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linejoin', 'opacity', 'fill-opacity'];

  /** The marks with the colours of the page. The texts are left out, because a picture of its own has no font of the page. */
  async function marksOf(picture: Picture): Promise<HTMLImageElement> {
    const copy = picture.cloneNode(true) as Picture;
    const copies = copy.querySelectorAll('*');
    picture.querySelectorAll('*').forEach((element, index) => {
      const style = getComputedStyle(element);
      for (const name of drawn) copies[index]?.setAttribute(name, style.getPropertyValue(name));
    });
    for (const text of copy.querySelectorAll('text, title')) text.remove();
    const { width, height } = picture.viewBox.baseVal;
    copy.setAttribute('width', `${width * scale}`);
    copy.setAttribute('height', `${height * scale}`);
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
    await image.decode();
    return image;
  }

  function writeTexts(context: CanvasRenderingContext2D, picture: Picture): void {
    const sides = { start: 'start', middle: 'center', end: 'end' } as const;
    for (const text of picture.querySelectorAll('text')) {
      const style = getComputedStyle(text);
      context.font = `${style.fontWeight} 12px ${style.fontFamily}`;
      context.fillStyle = style.fill;
      context.direction = style.direction as 'ltr' | 'rtl';
      context.textAlign = sides[style.textAnchor as 'start'];
      context.fillText(text.textContent.trim(), Number(text.getAttribute('x')), Number(text.getAttribute('y')));
    }
  }

  /** The legend in lines that fit the width. Each entry has the colour of its key. Returns the height of the lines. */
  function writeLegend(context: CanvasRenderingContext2D, frame: HTMLElement, width: number, top: number): number {
    const isRtl = getComputedStyle(frame).direction === 'rtl';
    let [x, y] = [0, top];
    for (const entry of frame.querySelectorAll('.legend li, .chart-notes li')) {
      const text = entry.textContent.replaceAll(/\s+/g, ' ').trim();
      const key = entry.querySelector('rect, path');
      const length = context.measureText(text).width + 18;
      if (x > 0 && x + length > width) [x, y] = [0, y + lineHeight];
      const style = key && getComputedStyle(key);
      context.fillStyle = key?.tagName === 'rect' ? (style?.fill ?? '') : (style?.stroke ?? '');
      if (key?.tagName === 'rect') context.fillRect(isRtl ? width - x - 10 : x, y - 9, 10, 10);
      else if (key) context.fillRect(isRtl ? width - x - 10 : x, y - 5, 10, 2);
      context.fillStyle = getComputedStyle(entry).color;
      context.textAlign = isRtl ? 'right' : 'left';
      context.fillText(text, isRtl ? width - x - 16 : x + 16, y);
      x += length + 14;
    }
    return y - top;
  }

  async function pictureOf(frame: HTMLElement, picture: Picture, title: string): Promise<Blob | null> {
    const { width, height } = picture.viewBox.baseVal;
    const canvas = document.createElement('canvas');
    const context = canvas.getContext('2d');
    if (!context) return null;
    const { fontFamily, color, direction } = getComputedStyle(frame);
    const begin = (legendHeight: number) => {
      canvas.width = (width + 2 * edge) * scale;
      canvas.height = (height + 3 * lineHeight + legendHeight + 2 * edge) * scale;
      context.scale(scale, scale);
      context.fillStyle = getComputedStyle(frame.closest('.card') ?? document.body).backgroundColor;
      context.fillRect(0, 0, canvas.width, canvas.height);
      context.translate(edge, edge);
      context.direction = direction as 'ltr' | 'rtl';
      context.font = `600 15px ${fontFamily}`;
      context.fillStyle = color;
      context.textAlign = direction === 'rtl' ? 'right' : 'left';
      context.fillText(title, direction === 'rtl' ? width : 0, 14);
      context.font = `400 12px ${fontFamily}`;
      return writeLegend(context, frame, width, height + 2.5 * lineHeight);
    };
    // The first pass measures the legend.
    begin(begin(0));
    context.translate(0, 1.5 * lineHeight);
    context.drawImage(await marksOf(picture), 0, 0, width, height);
    writeTexts(context, picture);
    return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
  }

  async function download(button: HTMLElement): Promise<void> {
    const frame = frameOf(button);
    const picture = frame?.querySelector<Picture>('svg.chart');
    const title = button.dataset['picture'] ?? '';
    if (!frame || !picture) return;
    hide();
    const file = await pictureOf(frame, picture, title);
    if (!file) return;
    const address = URL.createObjectURL(file);
    Object.assign(document.createElement('a'), { href: address, download: `${title}.png` }).click();
    URL.revokeObjectURL(address);
  }

  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element && target.closest<HTMLElement>('[data-picture]');
    if (button) void download(button);
  });

  /** The box replaces the browser's own texts at the pointer. The picture has a name, so that nothing else reads them. */
  function start(): void {
    for (const title of document.querySelectorAll('svg.chart[data-step] title')) title.remove();
    for (const button of document.querySelectorAll<HTMLElement>('[data-picture]')) button.hidden = false;
  }

  document.addEventListener('htmx:afterSettle', start);
  start();
}
