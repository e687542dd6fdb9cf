// SPDX-License-Identifier: BSD-3-Clause
// Gives each block of code a button that copies it. Without scripts, or where the browser does not let a page copy, there
// is none.
'use strict';

/// Adds the buttons below `root`.
function torchpatchCopy(root) {
  if (!navigator.clipboard) return;
  for (const block of root.querySelectorAll('pre:not(.patch)')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = 'Copied';
      setTimeout(() => { button.textContent = 'Copy'; }, 1500);
    });
    const frame = document.createElement('div');
    frame.className = 'copyable';
    block.replaceWith(frame);
    frame.append(block, button);
  }
}
torchpatchCopy(document);
