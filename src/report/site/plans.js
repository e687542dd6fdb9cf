// SPDX-License-Identifier: BSD-3-Clause
// What prepare does for each release, board and image (`torchpatchPlans`, plan-data.js): a picker on the first page and on the
// pages of boards, and filters of the coverage. Without scripts the pages list the same by themselves.
'use strict';

(() => {
  const {releases, boards, issues, answers, rows, evidence} = torchpatchPlans;
  const {root} = document.getElementById('search').dataset;
  const levels = {configured: '◔', built: '◑', imported: '◕', numerics: '●'};
  const expand = (runs) => runs.flatMap((each, i) => (i % 2 ? [] : Array(runs[i + 1]).fill(each)));
  const matrix = rows.map(expand);
  let next = 0;
  for (const board of boards) {
    board.defaults = expand(board.defaults);
    for (const image of board.images) image.target = next++;
  }

  function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }
  const option = (value, text) => element('option', {value, textContent: text});
  function choice(form, label, change) {
    const select = element('select', {onchange: change});
    form.append(element('label', {}, label, select));
    return select;
  }

  const fits = (target, release) => matrix[issues[0].rows[target]][release] >= 0;
  /// What is done for a target at a release: [issue, words, tone, whether the tree changes], the gravest first.
  const decided = (target, release) => issues.flatMap((issue) => {
    const answer = answers[matrix[issue.rows[target]][release]];
    return answer ? [[issue, ...answer]] : [];
  });
  const isReady = (target, release) => !/-/.test(releases[release]) && decided(target, release).every(([, words]) => words !== 'no certificate');
  const vendors = () => [...new Set(boards.map((board) => board.vendor))].sort();
  const found = (target, release) => evidence.find((each) => each[0] === release && each[1] === target);

  function addPicker(heading, own) {
    const form = element('form', {className: 'picker'});
    const result = element('div', {className: 'picked'});
    result.setAttribute('aria-live', 'polite');
    const boardBox = own ? null : choice(form, 'Board', () => fillImages());
    const imageBox = choice(form, 'Image', () => fillReleases());
    const releaseBox = choice(form, 'Release', () => show());
    const board = () => own ?? boards.find((each) => each.id === boardBox.value);
    /// The image of a release: the one chosen, or the board's own choice.
    const imageAt = (release) => board().images[imageBox.value === '' ? board().defaults[release] : imageBox.value];

    function fillImages() {
      imageBox.replaceChildren(option('', 'default of the release'), ...board().images.map((image, i) => option(i, `${image.title} (${image.id})`)).reverse());
      fillReleases();
    }
    function fillReleases() {
      const fitting = releases.map((_, i) => i).filter((i) => { const image = imageAt(i); return image && fits(image.target, i); }).reverse();
      const before = releaseBox.value;
      releaseBox.replaceChildren(...fitting.map((i) => {
        const ran = found(imageAt(i).target, i);
        return option(i, ran ? `${releases[i]} ${levels[ran[2]]} ${ran[2]}` : releases[i]);
      }));
      const best = fitting.find((i) => isReady(imageAt(i).target, i));
      releaseBox.value = fitting.includes(Number(before)) && before !== '' ? before : best ?? fitting[0] ?? '';
      show();
    }
    function show() {
      if (releaseBox.value === '') {
        result.replaceChildren(element('p', {textContent: 'No release of the catalog fits this image.'}));
        return;
      }
      const release = Number(releaseBox.value);
      const image = imageAt(release);
      const isDefault = board().images[board().defaults[release]] === image;
      const command = `torchpatch build --version ${releases[release]} --board ${board().id}${isDefault ? '' : ` --image ${image.id}`} --output out`;
      const line = ([issue, words, tone]) => element('li', {}, element('a', {href: `${root}issues/${issue.id}.html`, textContent: issue.title}), ' ',
        element('span', {className: `tag ${tone}`, textContent: words}));
      const all = decided(image.target, release);
      const yours = all.filter(([, , tone]) => tone === 'bad' || tone === 'caution');
      const fixed = all.filter((each) => !yours.includes(each));
      const ran = found(image.target, release);
      result.replaceChildren(
        element('pre', {tabIndex: 0}, element('code', {textContent: command})),
        element('p', {textContent: `${image.title}: ${all.length} known issues apply.${ran ? ` We ran it: ${ran[3]}.` : ''}`}),
        ...[[yours, 'to know or to do yourself'], [fixed, 'fixed by torchpatch']].filter(([list]) => list.length > 0)
          .map(([list, words]) => element('details', {}, element('summary', {textContent: `${list.length} ${words}`}), element('ul', {}, ...list.map(line)))));
      torchpatchCopy(result);
    }
    if (boardBox) {
      boardBox.append(...vendors().map((vendor) => element('optgroup', {label: vendor},
        ...boards.filter((each) => each.vendor === vendor).map((each) => option(each.id, each.title)))));
    }
    (own ? heading : heading.nextElementSibling).after(form, result);
    fillImages();
  }

  /// Hides the boards of other vendors; shows one image in place of the default one of each release.
  function addFilters(table) {
    const form = element('form', {className: 'picker'});
    const vendorBox = choice(form, 'Vendor', filter);
    const imageBox = choice(form, 'Image', filter);
    vendorBox.append(option('', 'all'), ...vendors().map((vendor) => option(vendor, vendor)));
    const lines = [...table.rows];
    const cells = lines.slice(1).map((line) => [...line.cells].slice(1).map((cell) => ({cell, className: cell.className, text: cell.textContent, title: cell.title})));
    function fillImages() {
      const images = new Map(boards.filter((board) => vendorBox.value === '' || board.vendor === vendorBox.value)
        .flatMap((board) => board.images.map((image) => [image.id, image.title])));
      const before = imageBox.value;
      imageBox.replaceChildren(option('', 'default of each release'), ...[...images].sort().map(([id, title]) => option(id, `${title} (${id})`)));
      imageBox.value = images.has(before) ? before : '';
    }
    function square(board, image, release) {
      const name = `${releases[release]} on ${board.id}, ${image.id}`;
      const ran = found(image.target, release);
      const made = (kind, label, words) => [ran ? `${kind} ${ran[2]}` : kind, label + (ran ? ` ${levels[ran[2]]}` : ''), `${name}: ${words}${ran ? `; ${ran[3]}` : ''}`];
      if (!fits(image.target, release)) return made('no-image', '-', 'does not fit');
      const all = decided(image.target, release);
      const count = (test) => all.filter(test).length;
      const uncertified = count(([, words]) => words === 'no certificate'), undecided = count(([, words]) => words === 'undecided');
      const changes = count(([, , , isChange]) => isChange);
      const words = `${changes} fixed in the tree`;
      if (uncertified) return made('uncertified', `u${uncertified}`, words);
      return undecided ? made('undecided', `?${undecided}`, words) : made(changes ? 'patched' : 'plain', `${changes}`, words);
    }
    function filter(event) {
      if (event?.target === vendorBox || !event) fillImages();
      const chosen = boards.map((board) => board.images.find((image) => image.id === imageBox.value));
      const isShown = boards.map((board, i) => (vendorBox.value === '' || board.vendor === vendorBox.value) && (imageBox.value === '' || Boolean(chosen[i])));
      isShown.forEach((shown, i) => { for (const line of lines) line.cells[i + 1].hidden = !shown; });
      cells.forEach((line, release) => line.forEach(({cell, className, text, title}, i) => {
        if (isShown[i]) [cell.className, cell.textContent, cell.title] = chosen[i] ? square(boards[i], chosen[i], release) : [className, text, title];
      }));
    }
    document.querySelector('.legend').before(form);
    filter();
  }

  const heading = document.querySelector('#i-want-to-build, #prepare-and-build');
  const map = document.querySelector('.heat-map');
  if (map) addFilters(map);
  else if (heading) addPicker(heading, boards.find((board) => location.pathname.endsWith(`/boards/${board.id}.html`)));
})();
