import { html, type Html } from '../../kit/html';

/** A merchant's own HTML in a frame that reaches nothing of ours; `address`: a page that answers it with `isForeign`. */
export function contentFrame({ address, title, isLazy }: { address: string; title: string; isLazy?: true }): Html {
  return html`<iframe
    class="content-frame"
    src="${address}"
    title="${title}"
    sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox allow-forms allow-presentation"
    ${isLazy && html`loading="lazy"`}
    allow="autoplay; fullscreen; encrypted-media; picture-in-picture"
    allowfullscreen
    referrerpolicy="same-origin"
  ></iframe>`;
}
