import assert from 'node:assert/strict'
import fc from 'fast-check'
import { readShellFile } from '../../../../extension/doctor/shellFile.ts'

const gate = 'http://127.0.0.1:4141/k/x/openai'

/** `line:NAME=where` of each variable. */
const read = (text: string): readonly string[] =>
  readShellFile(text, (address) => address === gate).map(({ line, name, leads }) => `${line}:${name}=${leads}`)

describe('the start files of a shell, as the doctor reads them', () => {
  it('finds an export that is not the first on its line, or not the first of several', () => {
    for (const line of [
      'alias a=b; export X=https://lab.example',
      'export A=1 X=https://lab.example',
      '[ -f x ] && export X=https://lab.example',
      'test -f x || export X=https://lab.example',
      'if [ -f x ]; then export X=https://lab.example; fi',
      'case $OSTYPE in darwin*) export X=https://lab.example ;; esac',
      '{ declare -gx X=https://lab.example; }',
      'export A="a; b" X="https://lab.example" # a remark',
      "echo 'it''s'; X='https://lab.example'",
      'set -gx X https://lab.example; set -gx Y 1',
      'test -f x; and set -Ux X https://lab.example',
    ]) {
      assert.ok(read(line).includes('1:X=elsewhere'), line)
    }
  })

  it('names the line of each, over lines that go on', () => {
    assert.deepEqual(read('#\nexport A=1 \\\n  X=https://lab.example\r\nY=2\n'), [
      '2:A=elsewhere',
      '3:X=elsewhere',
      '4:Y=elsewhere',
    ])
    assert.deepEqual(read('[ -f x ] &&\n  export X=1'), ['2:X=elsewhere'])
  })

  it('keeps the order of what is set and what is taken away', () => {
    assert.deepEqual(read(`unset X\nexport X=${gate}`), ['1:X=unset', '2:X=gate'])
    assert.deepEqual(read(`export X=${gate}; unset -v X`), ['1:X=gate', '1:X=unset'])
    assert.deepEqual(read('export -n X\ntypeset +x Y\nset -e Z'), ['1:X=unset', '2:Y=unset', '3:Z=unset'])
  })

  it('does not take for set what counts for one program, stands in quotes or in a remark', () => {
    for (const line of [
      'X=https://lab.example python main.py',
      'alias lab="export X=https://lab.example"',
      "alias lab='cd /; export X=https://lab.example'",
      'echo a # ; export X=https://lab.example',
      '# it’s \\',
      'lab() { export X=https://lab.example; }',
      'export X',
      'set -x',
      'set -q X; and echo yes',
      'unset -f X',
    ]) {
      assert.deepEqual(read(line), [], line)
    }
  })

  it('lets a variable be that is set only where it is missing, since terminals have it', () => {
    for (const text of [
      'export X="${X:-https://lab.example}"',
      'export X=${X-https://lab.example}',
      'export X=$X',
      '[ -z "$X" ] && export X=https://lab.example',
      '[[ -n ${X} ]] || export X=https://lab.example',
      'if [ -z "${X:-}" ]; then\n  export X=https://lab.example\nfi',
      'set -q X; or set -gx X https://lab.example',
      'if not set -q X; then export X=1; fi',
    ]) {
      assert.deepEqual(read(text), [], text)
    }
    for (const text of [
      '[ -n "$X" ] && export X=https://lab.example',
      '[ -z "$X" ] || export X=https://lab.example',
      '[ -z "$Y" ] && export X=https://lab.example',
      '[ ! -z "$X" ] && export X=https://lab.example',
      '[ -z "$X" ]; export X=https://lab.example',
      'set -q X; and set -gx X https://lab.example',
    ]) {
      assert.deepEqual(read(text), [`1:X=elsewhere`], text)
    }
  })

  it('keeps what a block asks until it is over, whatever stands in it before', () => {
    const set = 'export X=1'
    for (const text of [
      `if [ -z "$X" ]; then\n  echo hi\n  ${set}\nfi`,
      `if [ -z "$X" ]\nthen\n  echo hi; ${set}\nfi`,
      `if [ -f a ] && [ -z "$X" ]; then\n  echo hi\n  ${set}\nfi`,
      `if ! [ -f a ] && [[ -z $X ]]; then\n  ${set}\nfi`,
      `if true; [ -z "$X" ]; then\n  echo hi\n  ${set}\nfi`,
      `if [ -z "$X" ]; then\n  if [ -f a ]; then echo a; else echo b; fi\n  ${set}\nfi`,
      `if [ -z "$X" ]; then\n  for a in b; do echo; done\n  if [ -f a ]; then echo; ${set}; fi\nfi`,
      `if [ -f a ]; then\n  echo\nelif [ -z "$X" ]; then\n  echo hi\n  ${set}\nfi`,
      `if [ -z "$X" ]; then\n  if a; then b\n  else if c; then d; fi; fi\n  ${set}\nfi`,
      'if not set -q X\n  echo hi\n  set -gx X 1\nend',
      'if test -f a; and not set -q X\n  set -gx X 1\nend',
      'if not set -q X\n  for a in b\n    echo\n  end\n  if true\n    set -gx X 1\n  end\nend',
      'if test -f a\n  echo\nelse if not set -q X\n  echo\n  set -gx X 1\nend',
    ]) {
      assert.deepEqual(read(text), [], text)
    }
    for (const [line, text] of [
      [4, `if [ -z "$X" ]; then\n  echo hi\nfi\n${set}`],
      [4, `if [ -z "$X" ]; then\n  echo hi\nelse\n  ${set}\nfi`],
      [4, `if [ -z "$X" ]; then\n  echo hi\nelif [ -f a ]; then\n  ${set}\nfi`],
      [3, `if [ -n "$X" ]; then\n  echo hi\n  ${set}\nfi`],
      [3, `if [ -n "$X" ] || [ -f a ]; then\n  echo hi\n  ${set}\nfi`],
      [3, `if [ -z "$X" ] || [ -f a ]; then\n  echo hi\n  ${set}\nfi`],
      [3, `if [ -z "$Y" ]; then\n  echo hi\n  ${set}\nfi`],
      [5, `if [ -f a ]; then\n  if [ -z "$X" ]; then\n    echo\n  fi\n  ${set}\nfi`],
      [4, 'if not set -q X\n  echo hi\nend\nset -gx X 1'],
      [4, 'if not set -q X\n  echo hi\nelse\n  set -gx X 1\nend'],
      [4, 'if not set -q X\n  echo hi\nelse if test -f a\n  set -gx X 1\nend'],
      [6, 'if not set -q X\n  echo hi\nelse if test -f a\n  echo\nend\nset -gx X 1'],
      [3, 'if set -q X\n  echo hi\n  set -gx X 1\nend'],
    ] as const) {
      assert.deepEqual(read(text), [`${line}:X=elsewhere`], text)
    }
  })

  it('passes over here-documents, and over nothing else that has their sign', () => {
    const after = '\nexport Y=2'
    for (const [line, text] of [
      [4, 'cat <<EOF\nexport X=1\nEOF'],
      [4, 'cat > a <<EOF\r\nexport X=1\r\nEOF\r'],
      [4, "cat << 'EOF' >> a\nexport X=1\nEOF"],
      [4, 'cat<<"EOF" | sh\nexport X=1\nEOF'],
      [4, 'cat <<\\EOF\nexport X=1\nEOF'],
      [5, 'cat <<-EOF\n\texport X=1\n EOF\n\t\tEOF'],
      [5, 'cat <<EOF\nit\'s "\n\tEOF\nEOF'],
      [6, 'cat <<A - <<B\nexport X=1\nA\nexport X=1\nB'],
      [5, 'cat <<EOF \\\n  - # <<A\nexport X=1\nEOF'],
    ] as const) {
      assert.deepEqual(read(text + after), [`${line}:Y=elsewhere`], text)
    }
    for (const text of [
      'cat <<<EOF',
      'echo "<<EOF"',
      "echo '<<EOF'",
      '# <<EOF',
      'echo \\<\\<EOF',
      'a=$((1<<2)); cat <',
    ]) {
      assert.ok(read(`${text}\nexport X=1\nEOF`).includes('2:X=elsewhere'), text)
    }
    assert.deepEqual(read('cat <<EOF\nexport X=1'), ['2:X=elsewhere'], 'without its end')
    assert.deepEqual(read('cat <<EOF; export X=1\nexport Z=1\nEOF'), ['1:X=elsewhere'])
  })

  it('loses no later line to a quote that is left open', () => {
    assert.deepEqual(read('echo it\'s\nexport X=1\necho "\nexport Y=2'), ['2:X=elsewhere', '4:Y=elsewhere'])
  })

  it('finds an assignment among any others, with the value that the shell makes of it', () => {
    const value = fc.string({ unit: fc.constantFrom('a', ':', '/', ' ', '#', ';', '&', '|', '=', '$', '{') })
    const other = fc.constantFrom(
      'cd /',
      'A=1 true',
      'echo "a;b"',
      "alias x='y z'",
      '[ -f x ]',
      'export B=2 C=3',
      'true',
    )
    const joint = fc.constantFrom('; ', ';', ' && ', ' || ', '\n', ' &\n', '\r\n', ' # a remark\n')
    fc.assert(
      fc.property(fc.array(fc.tuple(other, joint)), value, fc.array(fc.tuple(joint, other)), (front, inside, back) => {
        const before = front.flat().join('')
        const found = readShellFile(
          `${before}export Q='${inside}'${back.flat().join('')}`,
          (address) => address === inside,
        ).filter(({ name }) => name === 'Q')
        assert.deepEqual(found, [{ name: 'Q', line: before.split('\n').length, leads: 'gate' }])
      }),
    )
  })
})
