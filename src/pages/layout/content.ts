import { html, type Html } from '../../kit/html';

/** A merchant's own HTML in a frame that reaches nothing of ours; `address`: a page that answers it with `isForeign`. */
export function contentFrame({ address, title }: { address: string; title: string }): Html {
  return html`<iframe
    class="content-frame"
    src="${address}"
    title="${title}"
    sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox allow-forms allow-presentation"
    allow="autoplay; fullscreen; encrypted-media; picture-in-picture"
    allowfullscreen
    referrerpolicy="same-origin"
  ></iframe>`;
}
