//! Pictures: every element is named in its cell, every gap is shown, nothing grows out of hand.

use roxmltree::Document;
use strideview_layout::StridedLayout;

use crate::support::{for_every_layout, strided};

/// Cells of the largest layout that is never cut.
const SMALL: i64 = 30;

fn reversed() -> StridedLayout {
    StridedLayout::with_offset(&[3, 4], Some(&[-5, 1]), 8, 10).unwrap()
}

fn image() -> StridedLayout {
    StridedLayout::new(&[480, 640, 3], None, 1).unwrap().permuted(&[2, 0, 1]).unwrap()
}

/// Compares a picture with the one in the folder `pictures`, or with `UPDATE_PICTURES` in the
/// environment writes that one. The file is part of the test, which may run far from its source.
macro_rules! assert_picture {
    ($name:literal, $picture:expr) => {
        let picture: String = $picture;
        if std::env::var_os("UPDATE_PICTURES").is_some() {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/pictures/");
            std::fs::write(folder.to_owned() + $name, &picture).unwrap();
        } else {
            assert_eq!(picture, include_str!(concat!("pictures/", $name)), "{}", $name);
        }
    };
}

#[test]
fn pictures_stay_as_they_were_looked_at() {
    assert_picture!("scalar.txt", strided(&[], &[], 8).diagram());
    assert_picture!("empty.txt", strided(&[2, 0], &[1, 1], 4).diagram());
    assert_picture!("reversed.txt", reversed().diagram());
    assert_picture!("reversed.svg", reversed().to_svg(""));
    assert_picture!("broadcast.txt", strided(&[3, 4], &[0, 1], 8).diagram());
    assert_picture!("windows.txt", strided(&[5, 3], &[1, 1], 8).diagram());
    assert_picture!("windows.svg", strided(&[3, 2], &[1, 1], 8).to_svg("windows"));
    assert_picture!("three_axes.txt", strided(&[2, 3, 4], &[1, 8, 2], 4).diagram());
    let four_axes = StridedLayout::new(&[2, 3, 2, 3], None, 4).unwrap();
    assert_picture!("four_axes.txt", four_axes.permuted(&[1, 3, 0, 2]).unwrap().diagram());
    assert_picture!("image.txt", image().diagram());
    assert_picture!("image.svg", image().to_svg("an image, channels first"));
    assert_picture!("far_apart.txt", strided(&[3, 2], &[1_000_000, 7], 1).diagram());
    let negative = StridedLayout::new(&[2, 3], Some(&[-3, -1]), 2).unwrap();
    assert_picture!("negative.txt", negative.diagram());
}

/// For each cell between the bounds, the indices that the definition of a layout puts there: the
/// first in C order, broadcast axes written as `*`, and how many others.
fn oracle(layout: &StridedLayout) -> Vec<String> {
    let broadcast: Vec<bool> =
        layout.shape().iter().zip(layout.strides()).map(|(n, s)| *n > 1 && *s == 0).collect();
    let separator = if layout.shape().iter().all(|extent| *extent <= 10) { "" } else { "," };
    let (first, last) = layout.offset_bounds();
    let mut held = vec![Vec::new(); usize::try_from(last - first + 1).unwrap()];
    for index in all_indices(layout.shape()) {
        if index.iter().zip(&broadcast).any(|(entry, broadcast)| *broadcast && *entry > 0) {
            continue;
        }
        let terms = index.iter().zip(layout.strides()).map(|(entry, stride)| entry * stride);
        let offset = layout.slice_offset() + terms.sum::<i64>();
        held[usize::try_from(offset - first).unwrap()].push(index);
    }
    let entry = |(value, broadcast): (&i64, &bool)| {
        if *broadcast { "*".to_owned() } else { value.to_string() }
    };
    let name = |indices: &Vec<Vec<i64>>| {
        let Some(first) = indices.first() else { return "·".to_owned() };
        let entries: Vec<String> = first.iter().zip(&broadcast).map(entry).collect();
        let label = if first.is_empty() { "()".to_owned() } else { entries.join(separator) };
        match indices.len() - 1 {
            0 => label,
            others => format!("{label}+{others}"),
        }
    };
    held.iter().map(name).collect()
}

/// All indices in C order.
fn all_indices(shape: &[i64]) -> Vec<Vec<i64>> {
    let mut indices = vec![Vec::new()];
    for extent in shape {
        let longer = |index: &Vec<i64>| {
            let index = index.clone();
            (0..*extent).map(move |entry| [&index[..], &[entry]].concat())
        };
        indices = indices.iter().flat_map(longer).collect();
    }
    indices
}

fn is_small(layout: &StridedLayout) -> bool {
    let (first, last) = layout.offset_bounds();
    let span = i128::from(last) - i128::from(first) + 1;
    !layout.is_empty() && span <= i128::from(SMALL) && layout.volume() <= 1000
}

/// What the rows of a text say, cell by cell. Cells outside the layout are blank.
fn cells_of_text(text: &str) -> Vec<String> {
    let rows = text.split_once("\n\n").unwrap().1;
    let cells = rows.lines().map(|row| row.split_once('|').unwrap().1);
    cells.flat_map(str::split_whitespace).map(str::to_owned).collect()
}

/// Law: in a small layout, the cells from the first offset to the last, in order, name what lies
/// in them, or are gaps.
#[test]
fn every_cell_of_a_text_is_right() {
    let mut checked = 0;
    for_every_layout(31, |layout, _| {
        if is_small(layout) {
            assert_eq!(cells_of_text(&layout.diagram()), oracle(layout), "{layout}");
            checked += 1;
        }
    });
    assert!(checked > 100, "{checked}");
}

/// The texts of the groups of one of these classes, in order.
fn cells_of_svg(svg: &str, classes: &[&str]) -> Vec<String> {
    let document = Document::parse(svg).unwrap();
    let groups = document
        .descendants()
        .filter(|node| node.attribute("class").is_some_and(|class| classes.contains(&class)));
    let text = |group: roxmltree::Node| -> String {
        let text = group.children().find(|node| node.has_tag_name("text")).unwrap();
        text.descendants().filter(roxmltree::Node::is_text).filter_map(|node| node.text()).collect()
    };
    groups.map(text).collect()
}

/// The same law for the memory of a picture; and, where all indices are drawn, those are the
/// offsets in C order.
#[test]
fn every_cell_of_a_picture_is_right() {
    for_every_layout(32, |layout, _| {
        if !is_small(layout) {
            return;
        }
        let svg = layout.to_svg("");
        assert_eq!(cells_of_svg(&svg, &["held", "gap"]), oracle(layout), "{layout}");
        if layout.rank() <= 3 && layout.shape().iter().all(|extent| *extent <= 3) {
            let offsets: Vec<String> = layout.offsets().map(|offset| offset.to_string()).collect();
            let mut drawn = cells_of_svg(&svg, &["index"]);
            if layout.rank() == 3 {
                // Planes stand side by side and are written one after the other.
                assert_eq!(drawn.len(), offsets.len(), "{layout}");
            }
            drawn.truncate(offsets.len());
            assert_eq!(drawn, offsets, "{layout}");
        }
    });
}

/// Whatever the layout: a document that a parser takes, of a size that a page can show, in little
/// time; the text no wider than it has to be.
#[test]
fn pictures_are_well_formed_and_small() {
    for_every_layout(33, |layout, _| {
        let svg = layout.to_svg("title");
        if let Err(error) = Document::parse(&svg) {
            panic!("{layout}: {error}");
        }
        assert!(svg.len() < 400_000, "{layout}: {} bytes of SVG", svg.len());
        let text = layout.diagram();
        assert!(text.len() < 30_000, "{layout}: {} bytes of text", text.len());
        assert!(text.lines().count() < 120, "{layout}");
    });
}

#[test]
fn a_title_is_escaped() {
    let title = "<b>\"rows\" & columns</b> \u{0} \u{1b} \n ümläut 日本";
    let svg = reversed().to_svg(title);
    let document = Document::parse(&svg).unwrap();
    let texts: Vec<&str> = document.descendants().filter_map(|node| node.text()).collect();
    let wanted = "<b>\"rows\" & columns</b> \u{fffd} \u{fffd}   ümläut 日本";
    assert!(texts.contains(&wanted), "{texts:?}");
}

#[test]
fn a_picture_changes_no_style_of_its_page() {
    let svg = image().to_svg("");
    assert!(!svg.contains("<style") && !svg.contains("id=\""));
}

/// A layout that no one could search through is still drawn: what is not known is said.
#[test]
fn hard_layouts_are_drawn() {
    let layout = strided(&[3; 24], &[1; 24], 8);
    assert!(layout.diagram().contains('?'));
    assert!(Document::parse(&layout.to_svg("")).is_ok());
    let many = strided(&[1000, 1000], &[1, 1], 1);
    assert!(many.diagram().starts_with("(1000, 1000):(1, 1) x1\n"), "{}", many.diagram());
}
