// A list of a thousand countdowns in which one scrolls: a board tells the few cells on the screen, and counts what that
// costs.

import WakeLoop
import WakeLoopTesting

/// A cell of the list, which is used again for another row when its own has left the screen.
final class Cell {
  private(set) var text = ""
  private(set) var updates = 0

  func show(_ reading: CountdownReading) {
    text = reading.text()
    updates += 1
  }
}

let rows = 1_000
let virtual = VirtualLoop()
let loop = virtual.loop

let board = CountdownBoard<Int>(on: loop)
for row in 0..<rows { board.set(.seconds(600 + 7 * row), for: row) }
let cells = (0..<12).map { _ in Cell() }

/// Shows the rows from `top` on in the cells; each row has the cell that its number says.
@MainActor
func scroll(to top: Int) {
  for row in top..<top + cells.count {
    board.subscribe(row, for: cells[row % cells.count]) { cell, reading in cell.show(reading) }
  }
}

var wakeUps = 0
loop.add(Loop.Observer(activities: .afterWaiting) { _, _ in wakeUps += 1 }, forMode: .common)

@MainActor
func tell(_ what: String) {
  let updates = cells.reduce(0) { $0 + $1.updates }
  print("\(what): \(wakeUps) wake-ups, \(updates) texts set, the first cell shows \(cells[0].text)")
}

scroll(to: 0)
tell("on opening")
virtual.advance(by: .seconds(60))
tell("after a minute at rest")

// Ten rows a second down to the end of the list, by the loop's shared ticks.
var top = 0
loop.ticks.add("scroll", every: 6) { _ in
  top += 1
  scroll(to: top)
  if top == rows - cells.count { loop.ticks.cancel("scroll") }
}
virtual.advance(by: .seconds(120))
tell("after scrolling to row \(top)")

for cell in cells { board.unsubscribe(cell: cell) }
let before = wakeUps
virtual.advance(by: .seconds(3_600))
print("in an hour off the screen: \(wakeUps - before) wake-ups")
